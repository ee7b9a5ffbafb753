import sys
from torch.utils.data import DataLoader

if (__name__ == "__main__" or "pytest" in sys.modules) or len(sys.argv) > 5:
    print(list(DataLoader([1], num_workers=1)))  # expect: SPS101
