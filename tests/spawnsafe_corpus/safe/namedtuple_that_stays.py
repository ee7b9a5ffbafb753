from collections import namedtuple
from torch.utils.data import DataLoader


def stats(rows):
    Stats = namedtuple("S", "mean n")
    return Stats(sum(rows) / len(rows), len(rows))


if __name__ == "__main__":
    print(stats([1, 2]).mean)
    print(list(DataLoader([1, 2], num_workers=1)))
