import threading

from torch.utils.data import DataLoader, Dataset, random_split


class Rows(Dataset):
    def __init__(self):
        self.lock = threading.Lock()  # expect: SPS303

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index


def main():
    train, test = random_split(Rows(), [2, 2])
    for batch in DataLoader(train, num_workers=2):
        print(batch)


if __name__ == "__main__":
    main()
