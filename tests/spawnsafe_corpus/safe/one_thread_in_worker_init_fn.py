import torch
from torch.utils.data import DataLoader

def init(worker_id):
    torch.set_num_threads(1)

if __name__ == "__main__":
    print(list(DataLoader([1], num_workers=1, worker_init_fn=init)))
