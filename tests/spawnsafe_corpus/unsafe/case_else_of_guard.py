"""The else branch is what children run."""
from torch.utils.data import DataLoader
if __name__ == "__main__":
    print(list(DataLoader([1], num_workers=1)))
else:
    print(list(DataLoader([1], num_workers=1)))  # expect: SPS101
