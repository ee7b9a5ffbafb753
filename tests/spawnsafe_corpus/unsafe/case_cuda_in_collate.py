import torch
from torch.utils.data import DataLoader

def collate(xs):
    return torch.tensor(xs).to("cuda")  # expect: SPS402

if __name__ == "__main__":
    print(list(DataLoader([1, 2], num_workers=1, collate_fn=collate)))
