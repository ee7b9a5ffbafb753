"""A class body runs at import, like module level."""
from torch.utils.data import DataLoader

class Config:
    first = next(iter(DataLoader([1, 2], num_workers=1)))  # expect: SPS101
