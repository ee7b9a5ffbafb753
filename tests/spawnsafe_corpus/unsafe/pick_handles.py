import sqlite3
import zipfile

import lmdb
from torch.utils.data import Dataset


class Stores(Dataset):
    def __init__(self, path):
        self.base = sqlite3.connect(path)  # expect: SPS304
        self.cursor = self.base.cursor()  # expect: SPS304
        self.archive = zipfile.ZipFile(path)  # expect: SPS304
        self.env = lmdb.open(path, readonly=True, lock=False)  # expect: SPS304
        self.txn = self.env.begin()  # expect: SPS304

    def __getitem__(self, index):
        return index
