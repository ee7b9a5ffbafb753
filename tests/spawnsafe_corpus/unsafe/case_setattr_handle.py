from torch.utils.data import DataLoader, Dataset

class Handles(Dataset):
    def __init__(self, path):
        for name in ("a", "b"):
            setattr(self, name, open(path))  # expect: SPS304

    def __len__(self):
        return 1

    def __getitem__(self, i):
        return i

if __name__ == "__main__":
    print(list(DataLoader(Handles(__file__), num_workers=1)))
