import multiprocessing as mp

from torch.utils.data import DataLoader, Dataset


class Counted(Dataset):
    def __init__(self, counter):
        self.counter = counter

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return index


if __name__ == "__main__":
    data = Counted(mp.Value("i", 0))  # expect: SPS203
    print(list(DataLoader(data, num_workers=1, multiprocessing_context="spawn")))
