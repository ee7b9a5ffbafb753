from pathlib import Path

from torch.utils.data import DataLoader, Dataset


class Lines(Dataset):
    def __init__(self, path):
        self.file = Path(path).open()  # expect: SPS304

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return index


if __name__ == "__main__":
    print(list(DataLoader(Lines(__file__), num_workers=1)))
