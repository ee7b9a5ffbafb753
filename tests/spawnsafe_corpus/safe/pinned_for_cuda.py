import torch
from torch.utils.data import DataLoader


def make(data):
    return DataLoader(data, num_workers=2, pin_memory=True)


def train(data):
    return [batch.to("cuda", non_blocking=True) for batch in make(data)], torch.device("cpu")
