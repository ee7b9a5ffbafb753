from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, rows, transform=lambda row: row):  # expect: SPS301
        self.rows = rows
        self.transform = transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.transform(self.rows[index])
