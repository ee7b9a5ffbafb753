from torch.utils.data import DataLoader

DEVICE = "mps"


def make(data):
    return DataLoader(data, num_workers=2, multiprocessing_context="fork")  # expect: SPS205
