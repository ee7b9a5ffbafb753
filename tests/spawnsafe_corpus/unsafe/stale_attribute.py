from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self):
        self.size = 1

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return index * self.size


def main():
    data = Rows()
    loader = DataLoader(data, num_workers=2, persistent_workers=True)
    for epoch in range(3):
        data.size = epoch  # expect: SPS702
        for batch in loader:
            print(batch)


if __name__ == "__main__":
    main()
