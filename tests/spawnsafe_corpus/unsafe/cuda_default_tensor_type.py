import torch
from torch.utils.data import DataLoader

if __name__ == "__main__":
    torch.set_default_tensor_type("torch.cuda.FloatTensor")  # expect: SPS404
    print(list(DataLoader([1, 2], shuffle=True, num_workers=1)))
