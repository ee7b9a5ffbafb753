import threading

from torch.utils.data import DataLoader


class Store:
    def __init__(self):
        self.lock = threading.Lock()  # expect: SPS303

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return index

    def loader(self):
        return DataLoader(self, num_workers=2)
