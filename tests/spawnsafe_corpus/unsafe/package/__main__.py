from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):  # expect: SPS307
    def __len__(self):
        return 1

    def __getitem__(self, index):
        return index


print(list(DataLoader(Rows(), num_workers=1)))
