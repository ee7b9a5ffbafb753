from torch.utils.data import DataLoader


def show(loader):
    for batch in loader:
        print(batch)


if __name__ == "__main__":

    class Rows:  # expect: SPS307
        def __len__(self):
            return 1

        def __getitem__(self, index):
            return index

    show(DataLoader(Rows(), num_workers=1))
