import sys
from torch.utils.data import DataLoader
if __name__ == "__main__" and sys.argv[1:]:
    print(list(DataLoader([1], num_workers=1)))
