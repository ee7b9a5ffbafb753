import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self):
        self.rows = torch.zeros(10, device="cuda")  # expect: SPS402

    def __len__(self):
        return 10

    def __getitem__(self, index):
        return self.rows[index]


def main():
    for batch in DataLoader(Rows(), num_workers=2):
        print(batch)


if __name__ == "__main__":
    main()
