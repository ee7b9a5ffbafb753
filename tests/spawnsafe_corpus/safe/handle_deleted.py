import h5py
from torch.utils.data import DataLoader, Dataset

class H5(Dataset):
    def __init__(self, path):
        self.path = path
        self.f = h5py.File(path)
        self.n = len(self.f["x"])
        self.f.close()
        del self.f

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        with h5py.File(self.path) as f:
            return f["x"][i]

if __name__ == "__main__":
    print(list(DataLoader(H5("/a"), num_workers=1)))
