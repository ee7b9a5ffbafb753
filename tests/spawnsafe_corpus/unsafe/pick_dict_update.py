from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, **options):
        self.__dict__.update(options)

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return self.fn(i)

if __name__ == "__main__":
    print(list(DataLoader(Rows(fn=lambda i: i), num_workers=1)))  # expect: SPS301
