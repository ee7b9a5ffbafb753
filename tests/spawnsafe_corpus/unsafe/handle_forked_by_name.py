from torch.utils.data import DataLoader, Dataset


class Records(Dataset):
    def __init__(self, path):
        self.file = open(path, "rb")  # expect: SPS606

    def __len__(self):
        return 2

    def __getitem__(self, index):
        self.file.seek(index)
        return self.file.read(1)


def main():
    loader = DataLoader(Records(__file__), num_workers=2, multiprocessing_context="fork")
    print(list(loader))


if __name__ == "__main__":
    main()
