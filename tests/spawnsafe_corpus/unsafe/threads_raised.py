import torch
from torch.utils.data import DataLoader


def collate(rows):
    torch.set_num_threads(8)  # expect: SPS708
    return torch.tensor(rows)


def make(data):
    return DataLoader(data, num_workers=2, collate_fn=collate)
