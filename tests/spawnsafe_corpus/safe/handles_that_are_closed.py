import csv
import json
import sqlite3
from pathlib import Path

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        with open(path) as file:
            self.rows = list(csv.reader(file))
        self.text = Path(path).read_text()
        self.size = len(open(path).read())
        base = sqlite3.connect(path)
        self.names = base.execute("select name from t").fetchall()
        base.close()
        self.file = open(path)
        self.first = self.file.readline()
        self.file.close()
        self.file = None
        self.handle = open(path)
        del self.handle
        self.info = json.load(open(path))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        with open(self.rows[index][0]) as file:
            return file.read()


if __name__ == "__main__":
    print(list(DataLoader(Rows(__file__), num_workers=1)))
