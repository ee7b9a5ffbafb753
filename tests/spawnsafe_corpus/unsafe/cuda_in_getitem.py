import torch
from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def _load(self, index):
        return torch.tensor(self.rows[index]).cuda()  # expect: SPS402

    def __getitem__(self, index):
        return self._load(index)
