import h5py
from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None

    def __len__(self):
        return 3

    def __getitem__(self, index):
        if self.file is None:
            self.file = h5py.File(self.path, "r")  # expect: SPS304
        return self.file["x"][index]


if __name__ == "__main__":
    data = Table("/data/table.h5")
    print("first sample:", data[0])
    for batch in DataLoader(data, num_workers=2):
        print(batch)
