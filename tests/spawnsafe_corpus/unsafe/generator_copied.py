import random

import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)  # expect: SPS704
        self.other = random.Random(0)  # expect: SPS704

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.rng.normal() + self.other.random()


def main():
    for batch in DataLoader(Noisy(), num_workers=2):
        print(batch)


if __name__ == "__main__":
    main()
