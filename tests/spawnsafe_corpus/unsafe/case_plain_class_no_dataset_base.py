"""Any object with __len__ and __getitem__ is a data set to torch."""
import threading
from torch.utils.data import DataLoader

class Duck:
    def __init__(self):
        self.ev = threading.Event()  # expect: SPS303

    def __len__(self):
        return 1

    def __getitem__(self, i):
        return i

if __name__ == "__main__":
    print(list(DataLoader(Duck(), num_workers=1)))
