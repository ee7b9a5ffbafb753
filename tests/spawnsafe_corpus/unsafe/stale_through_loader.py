from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return index + self.epoch


def train(loader):
    for epoch in range(3):
        loader.dataset.set_epoch(epoch)  # expect: SPS702
        for batch in loader:
            print(batch)


if __name__ == "__main__":
    train(DataLoader(Rows(), num_workers=2, persistent_workers=True))
