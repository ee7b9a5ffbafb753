"""The first epoch asks for the length, which leaves an open file behind for the second one."""

import h5py
from torch.utils.data import DataLoader, Dataset


class Volumes(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None

    def open(self):
        if self.file is None:
            self.file = h5py.File(self.path)  # expect: SPS304
        return self.file

    def __len__(self):
        return len(self.open()["volumes"])

    def __getitem__(self, number):
        return self.open()["volumes"][number]


def main():
    loader = DataLoader(Volumes("volumes.h5"), num_workers=2)
    for _ in range(3):
        for batch in loader:
            print(batch)


if __name__ == "__main__":
    main()
