import threading
from torch.utils.data import DataLoader

class Rows:
    __slots__ = ("lock",)

    def __init__(self):
        self.lock = threading.Lock()  # expect: SPS303

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return i

if __name__ == "__main__":
    print(list(DataLoader(Rows(), num_workers=1)))
