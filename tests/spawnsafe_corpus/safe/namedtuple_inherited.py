from collections import namedtuple
from torch.utils.data import DataLoader

class Row(namedtuple("RowBase", "x y")):
    pass

if __name__ == "__main__":
    print(list(DataLoader([Row(1, 2)], num_workers=1)))
