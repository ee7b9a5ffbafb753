import threading

from torch.utils.data import DataLoader, Dataset


class Locked(Dataset):
    def __init__(self):
        self.lock = threading.Lock()

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return index


if __name__ == "__main__":
    print(list(DataLoader(Locked(), batch_size=1)))
