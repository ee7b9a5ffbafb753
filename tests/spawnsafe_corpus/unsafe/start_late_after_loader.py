import torch.multiprocessing as mp
from torch.utils.data import DataLoader

if __name__ == "__main__":
    print(list(DataLoader([1], num_workers=1)))
    mp.set_start_method("spawn")  # expect: SPS202
