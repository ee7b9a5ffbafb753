from dataclasses import dataclass
from typing import Callable
from torch.utils.data import DataLoader, Dataset

@dataclass
class Options:
    scale: Callable
    size: int = 3

class Rows(Dataset):
    def __init__(self, options):
        self.options = options

    def __len__(self):
        return self.options.size

    def __getitem__(self, i):
        return self.options.scale(i)

if __name__ == "__main__":
    rows = Rows(Options(scale=lambda x: x / 2))  # expect: SPS301
    print(list(DataLoader(rows, num_workers=1)))
