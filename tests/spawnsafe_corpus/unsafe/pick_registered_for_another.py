import copyreg
import threading
from torch.utils.data import DataLoader, Dataset

class Guarded:
    def __init__(self, n):
        self.n = n
        self.lock = threading.Lock()  # expect: SPS303

class Other:
    pass

def reduce_other(o):
    return Other, ()

copyreg.pickle(Other, reduce_other)

class Rows(Dataset):
    def __init__(self):
        self.g = Guarded(3)

    def __len__(self):
        return self.g.n

    def __getitem__(self, i):
        return i

if __name__ == "__main__":
    print(list(DataLoader(Rows(), num_workers=1)))
