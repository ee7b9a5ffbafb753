import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.__dict__.update(first=lambda row: row)  # expect: SPS301
        self.__dict__["second"] = lambda row: row  # expect: SPS301
        vars(self)["third"] = open(path)  # expect: SPS304
        file = h5py.File(path)
        self.table = file["x"]  # expect: SPS304
        self.rows = file["x"][:]

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return self.rows[index]


if __name__ == "__main__":
    print(list(DataLoader(Rows("/data/x.h5"), num_workers=1)))
