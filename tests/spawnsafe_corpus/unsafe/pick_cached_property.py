"""The main process looks at a sample, and a cached property keeps what it opened."""

import threading
from functools import cached_property

import h5py
from torch.utils.data import DataLoader, Dataset


class Volumes(Dataset):
    def __init__(self, path):
        self.path = path

    @cached_property
    def file(self):
        return h5py.File(self.path)  # expect: SPS304

    def __len__(self):
        return 10

    def __getitem__(self, number):
        return self.file["volumes"][number]


class Guarded(Dataset):
    @cached_property
    def lock(self):
        return threading.Lock()  # expect: SPS303

    def __len__(self):
        with self.lock:
            return 10

    def __getitem__(self, number):
        return number


def main():
    volumes = Volumes("volumes.h5")
    print(volumes[0].shape)
    for batch in DataLoader(volumes, num_workers=2):
        print(batch)
    for batch in DataLoader(Guarded(), num_workers=2, shuffle=True):
        print(batch)


if __name__ == "__main__":
    main()
