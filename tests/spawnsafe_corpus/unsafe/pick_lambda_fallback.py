from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, rows, transform=None):
        self.rows = rows
        if transform is None:
            transform = lambda row: row  # noqa: E731  # expect: SPS301
        self.transform = transform

    def __getitem__(self, index):
        return self.transform(self.rows[index])
