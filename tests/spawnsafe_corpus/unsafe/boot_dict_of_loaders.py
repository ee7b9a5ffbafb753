from torch.utils.data import DataLoader

loaders = {name: DataLoader([1], num_workers=2) for name in ("train", "val")}
for name, loader in loaders.items():
    for b in loader:  # expect: SPS101
        print(name, b)
