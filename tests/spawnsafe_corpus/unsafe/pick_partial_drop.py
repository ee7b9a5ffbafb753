import threading

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self):
        self.lock = threading.Lock()
        self.other = threading.Lock()  # expect: SPS303

    def __getstate__(self):
        state = self.__dict__.copy()
        del state["lock"]
        return state

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return index


if __name__ == "__main__":
    print(list(DataLoader(Rows(), num_workers=1)))
