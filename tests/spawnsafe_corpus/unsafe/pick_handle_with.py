import h5py
from torch.utils.data import Dataset


class Table(Dataset):
    def __init__(self, path):
        with h5py.File(path, "r") as self.file:  # expect: SPS304
            self.count = len(self.file["x"])

    def __getitem__(self, index):
        return index
