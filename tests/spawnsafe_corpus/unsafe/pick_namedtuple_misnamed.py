from collections import namedtuple
from torch.utils.data import DataLoader, Dataset

Point = namedtuple("Pt", "x y")  # expect: SPS308

class Points(Dataset):
    def __init__(self):
        self.points = [Point(1, 2), Point(3, 4)]

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return self.points[i]

if __name__ == "__main__":
    print(list(DataLoader(Points(), num_workers=1)))
