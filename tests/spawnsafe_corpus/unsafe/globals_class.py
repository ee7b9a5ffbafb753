from torch.utils.data import DataLoader, Dataset

class Config:
    size = 3

class Rows(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, i):
        return Config.size

def main():
    Config.size = 5  # expect: SPS206
    print(list(DataLoader(Rows(), num_workers=2)))

if __name__ == "__main__":
    main()
