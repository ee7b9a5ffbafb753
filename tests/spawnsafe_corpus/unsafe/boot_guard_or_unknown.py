from torch.utils.data import DataLoader
from settings import FORCE
if __name__ == "__main__" or FORCE:
    print(list(DataLoader([1], num_workers=1)))  # expect: SPS101
