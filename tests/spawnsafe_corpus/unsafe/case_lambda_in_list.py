from torch.utils.data import DataLoader, Dataset

class Steps(Dataset):
    def __init__(self):
        self.steps = {"x": [abs, lambda v: v + 1]}  # expect: SPS301

    def __len__(self):
        return 1

    def __getitem__(self, i):
        return i

if __name__ == "__main__":
    print(list(DataLoader(Steps(), num_workers=1)))
