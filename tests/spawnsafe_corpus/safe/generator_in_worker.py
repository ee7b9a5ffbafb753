import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class InWorker(Dataset):
    def __init__(self):
        self.rng = None

    def __len__(self):
        return 2

    def __getitem__(self, index):
        if self.rng is None:
            self.rng = np.random.default_rng(torch.initial_seed())
        return self.rng.normal()


class OnlyAtStart(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.order = self.rng.permutation(2)

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return self.order[index]


def main():
    print(list(DataLoader(InWorker(), num_workers=2)))
    print(list(DataLoader(OnlyAtStart(), num_workers=2)))


if __name__ == "__main__":
    main()
