from torch.utils.data import DataLoader


def make(data):
    first = DataLoader(data, persistent_workers=True)  # expect: SPS701
    second = DataLoader(data, num_workers=0, prefetch_factor=2)  # expect: SPS701
    third = DataLoader(data, multiprocessing_context="spawn")  # expect: SPS701
    return first, second, third
