import threading
from multiprocessing.reduction import ForkingPickler
from torch.utils.data import DataLoader, Dataset

class Guarded:
    def __init__(self, n):
        self.n = n
        self.lock = threading.Lock()

def reduce_guarded(g):
    return Guarded, (g.n,)

ForkingPickler.register(Guarded, reduce_guarded)

class Rows(Dataset):
    def __init__(self):
        self.g = Guarded(3)

    def __len__(self):
        return self.g.n

    def __getitem__(self, i):
        return i

if __name__ == "__main__":
    print(list(DataLoader(Rows(), num_workers=1)))
