from torch.utils.data import DataLoader

if __name__:
    print(list(DataLoader([1], num_workers=1)))  # expect: SPS101
