"""A bound method as collate_fn pickles its whole owner."""
import threading
from torch.utils.data import DataLoader

class Trainer:
    def __init__(self):
        self.lock = threading.Lock()  # expect: SPS303

    def collate(self, xs):
        return xs

if __name__ == "__main__":
    print(list(DataLoader([1], num_workers=1, collate_fn=Trainer().collate)))
