from collections import namedtuple
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    Row = namedtuple("Row", "x y")  # expect: SPS302

    def __init__(self):
        self.rows = [self.Row(1, 2)]

    def __len__(self):
        return 1

    def __getitem__(self, i):
        return self.rows[i]

if __name__ == "__main__":
    print(list(DataLoader(Rows(), num_workers=1)))
