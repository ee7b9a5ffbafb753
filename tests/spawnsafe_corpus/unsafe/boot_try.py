from torch.utils.data import DataLoader

try:
    batches = list(DataLoader([1], num_workers=1))  # expect: SPS101
except RuntimeError:
    batches = []
