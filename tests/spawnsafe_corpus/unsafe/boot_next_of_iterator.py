from torch.utils.data import DataLoader
loader = DataLoader([1, 2], num_workers=2)
it = iter(loader)  # expect: SPS101
while (batch := next(it, None)) is not None:
    print(batch)
