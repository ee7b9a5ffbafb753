import torch
from torch.utils.data import DataLoader, Dataset

class Aug:
    def __init__(self, seed):
        self.g = torch.Generator().manual_seed(seed)  # expect: SPS704

    def __call__(self, x):
        return x + torch.rand(1, generator=self.g)

class Rows(Dataset):
    def __init__(self):
        self.aug = Aug(0)

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return self.aug(torch.ones(1))

if __name__ == "__main__":
    print(list(DataLoader(Rows(), num_workers=2)))
