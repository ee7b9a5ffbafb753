import torch
from torch.utils.data import DataLoader


def set_up(worker_id):
    torch.cuda.set_device(0)  # expect: SPS402


def make(data):
    return DataLoader(data, num_workers=4, worker_init_fn=set_up)
