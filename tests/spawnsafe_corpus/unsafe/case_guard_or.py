"""With 'or' the block also runs in the children."""
import sys
from torch.utils.data import DataLoader
if __name__ == "__main__" or sys.argv:
    print(list(DataLoader([1], num_workers=1)))  # expect: SPS101
