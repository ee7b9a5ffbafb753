import numpy as np
from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self):
        self.rows = np.load("data/rows.npy")  # expect: SPS503

    def __getitem__(self, index):
        return self.rows[index]
