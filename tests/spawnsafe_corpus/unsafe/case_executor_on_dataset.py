from concurrent.futures import ThreadPoolExecutor
from torch.utils.data import DataLoader, Dataset

class Pooled(Dataset):
    def __init__(self):
        self.ex = ThreadPoolExecutor(2)  # expect: SPS303

    def __len__(self):
        return 1

    def __getitem__(self, i):
        return i

if __name__ == "__main__":
    print(list(DataLoader(Pooled(), num_workers=1)))
