import typing
from torch.utils.data import DataLoader

Item = typing.NamedTuple("Itm", [("x", int)])  # expect: SPS308

if __name__ == "__main__":
    print(list(DataLoader([Item(1)], num_workers=1)))
