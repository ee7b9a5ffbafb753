import torch
from torch.utils.data import DataLoader


def main():
    torch.set_default_device("cuda")  # expect: SPS404
    for batch in DataLoader([1, 2], shuffle=True):
        print(batch)


if __name__ == "__main__":
    main()
