import torch
from torch.utils.data import DataLoader

device = torch.device("cpu")


def make(data):
    return DataLoader(data, num_workers=2, pin_memory=True)  # expect: SPS405
