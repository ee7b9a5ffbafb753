import sys

from torch.utils.data import DataLoader

if __name__ != "__main__":
    sys.exit("this is a program")
print(list(DataLoader([1], num_workers=1)))
