import threading

from torch.utils.data import DataLoader, Dataset


class Base(Dataset):
    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("lock", None)
        return state


class Rows(Base):
    def __init__(self):
        self.lock = threading.Lock()

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return index


if __name__ == "__main__":
    print(list(DataLoader(Rows(), num_workers=1)))
