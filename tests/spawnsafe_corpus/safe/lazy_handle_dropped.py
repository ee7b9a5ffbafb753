import h5py
from torch.utils.data import Dataset


class Table(Dataset):
    def __init__(self, path):
        self.path, self.file = path, None

    def __getstate__(self):
        return {**self.__dict__, "file": None}

    def __getitem__(self, index):
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        return self.file["x"][index]
