"""The loader asks for the length, which leaves an open file in the main process."""

import h5py
from torch.utils.data import DataLoader, Dataset


class Volumes(Dataset):
    def __init__(self, path):
        self.path = path
        self.opened = None

    @property
    def file(self):
        if self.opened is None:
            self.opened = h5py.File(self.path)  # expect: SPS305
        return self.opened

    def __len__(self):
        return len(self.file["volumes"])

    def __getitem__(self, number):
        return self.file["volumes"][number]


if __name__ == "__main__":
    for batch in DataLoader(Volumes("volumes.h5"), num_workers=2):
        print(batch)
