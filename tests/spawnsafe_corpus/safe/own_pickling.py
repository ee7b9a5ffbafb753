import threading

import h5py
from torch.utils.data import DataLoader, Dataset


class WithReduce(Dataset):
    def __init__(self, path):
        self.path, self.lock, self.file = path, threading.Lock(), open(path)

    def __reduce__(self):
        return WithReduce, (self.path,)

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return index


class WithState(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = h5py.File(path)

    def __getstate__(self):
        state = dict(self.__dict__)
        state["file"] = None
        return state

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return self.file["x"][index]


class WithFilter(Dataset):
    def __init__(self, path):
        self._file = open(path)

    def __getstate__(self):
        return {k: v for k, v in self.__dict__.items() if not k.startswith("_")}

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return index


class WithExplicitState(Dataset):
    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()

    def __getstate__(self):
        return {"path": self.path}

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return index


if __name__ == "__main__":
    for kind in (WithReduce, WithState, WithFilter, WithExplicitState):
        print(list(DataLoader(kind(__file__), num_workers=1)))
