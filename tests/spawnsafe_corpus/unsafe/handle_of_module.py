from torch.utils.data import DataLoader, Dataset
F = open("/tmp/x.bin", "rb")  # expect: SPS606
class D(Dataset):
    def __len__(self): return 1
    def __getitem__(self, i):
        F.seek(i)
        return F.read(1)
if __name__ == "__main__":
    list(DataLoader(D(), num_workers=1))
