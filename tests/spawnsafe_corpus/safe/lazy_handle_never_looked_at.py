import h5py
from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    def __init__(self, path, count):
        self.path, self.count, self.file = path, count, None

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        return self.file["x"][index]


if __name__ == "__main__":
    for batch in DataLoader(Table("/data/t.h5", 3), num_workers=2):
        print(batch)
