from collections import defaultdict

from torch.utils.data import DataLoader, Dataset


class Index(Dataset):
    def __init__(self):
        self.groups = defaultdict(lambda: [])  # expect: SPS301

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return index


if __name__ == "__main__":
    print(list(DataLoader(Index(), num_workers=1)))
