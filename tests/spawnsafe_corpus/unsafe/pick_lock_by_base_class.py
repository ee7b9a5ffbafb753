import threading

from torch.utils.data import DataLoader, Dataset


class Base(Dataset):
    def __init__(self):
        self.lock = threading.RLock()  # expect: SPS303


class Rows(Base):
    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


if __name__ == "__main__":
    print(list(DataLoader(Rows([1]), num_workers=1)))
