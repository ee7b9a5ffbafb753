import sys

from torch.utils.data import DataLoader


def train():
    return [b for b in DataLoader([1], num_workers=1)]


if __name__ == "__main__":
    print("main")
elif sys.argv:
    train()  # expect: SPS101
