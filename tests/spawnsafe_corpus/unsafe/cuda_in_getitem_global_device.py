import torch
from torch.utils.data import Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")  # expect: SPS403


class Rows(Dataset):
    def __getitem__(self, index):
        return torch.tensor(index).to(device)  # expect: SPS402
