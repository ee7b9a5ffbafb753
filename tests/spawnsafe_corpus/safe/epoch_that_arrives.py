import torch
from torch.utils.data import DataLoader, Dataset


class Shared(Dataset):
    def __init__(self):
        self.epoch = torch.zeros(1).share_memory_()

    def set_epoch(self, epoch):
        self.epoch[0] = epoch

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return self.epoch[0] + index


class Plain(Dataset):
    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return self.epoch


def main():
    shared, plain = Shared(), Plain()
    persistent = DataLoader(shared, num_workers=1, persistent_workers=True)
    fresh = DataLoader(plain, num_workers=1)
    for epoch in range(2):
        shared.set_epoch(epoch)
        plain.set_epoch(epoch)
        print(list(persistent), list(fresh))


if __name__ == "__main__":
    main()
