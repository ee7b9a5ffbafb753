from torch.utils.data import DataLoader, Dataset


def build(rows):
    class Wrapped(Dataset):  # expect: SPS302
        def __len__(self):
            return len(rows)

        def __getitem__(self, index):
            return rows[index]

    return Wrapped()


def main():
    data = build([1, 2])
    loader = DataLoader(data, num_workers=2)
    for batch in loader:
        print(batch)


if __name__ == "__main__":
    main()
