from torch.utils.data import DataLoader, Dataset

SIZE = 32


class Images(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return index * SIZE


def main():
    global SIZE
    SIZE = 64  # expect: SPS206
    print(list(DataLoader(Images(), num_workers=1)))


if __name__ == "__main__":
    main()
