from collections import namedtuple
from torch.utils.data import DataLoader

P = namedtuple("Point", "x y", module="shapes")

if __name__ == "__main__":
    print(list(DataLoader([P(1, 2)], num_workers=1)))
