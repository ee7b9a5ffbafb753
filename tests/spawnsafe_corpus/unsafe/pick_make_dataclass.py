import dataclasses
from torch.utils.data import DataLoader

def rows():
    Row = dataclasses.make_dataclass("Row", ["x"])  # expect: SPS302
    return [Row(1), Row(2)]

if __name__ == "__main__":
    print(list(DataLoader(rows(), num_workers=1)))
