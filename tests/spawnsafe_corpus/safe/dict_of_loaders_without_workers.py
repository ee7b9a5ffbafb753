from torch.utils.data import DataLoader

loaders = dict(train=DataLoader([1], num_workers=0), val=DataLoader([2], num_workers=0))
for loader in loaders.values():
    for b in loader:
        print(b)
