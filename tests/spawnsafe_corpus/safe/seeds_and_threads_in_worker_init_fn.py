import random
import numpy as np
import torch
from torch.utils.data import DataLoader

def init(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)
    torch.set_num_threads(2)

if __name__ == "__main__":
    print(list(DataLoader([1], num_workers=1, worker_init_fn=init)))
