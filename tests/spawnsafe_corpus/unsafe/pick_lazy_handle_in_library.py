import h5py
from torch.utils.data import Dataset


class Table(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None

    def _open(self):
        if self.file is None:
            self.file = h5py.File(self.path, "r")  # expect: SPS305
        return self.file

    def __getitem__(self, index):
        return self._open()["x"][index]
