from torch.utils.data import DataLoader


def loaders(data):
    return DataLoader(data, num_workers=2, worker_init_fn=lambda n: print(n))  # expect: SPS301
