from pathlib import Path

import numpy as np
from torch.utils.data import Dataset

HERE = Path(__file__).parent


class Rows(Dataset):
    def __init__(self, path):
        self.rows = np.load(path)
        self.other = np.load(HERE / "rows.npy")
        self.third = np.load("/data/rows.npy")

    def __getitem__(self, index):
        return self.rows[index]
