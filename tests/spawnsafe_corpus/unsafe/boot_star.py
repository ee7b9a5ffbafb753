from torch.utils.data import DataLoader

print(*DataLoader([1], num_workers=1))  # expect: SPS101
