from contextlib import contextmanager
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        with self.opened(path) as f:
            self.lines = f.readlines()

    @contextmanager
    def opened(self, path):
        f = open(path)
        try:
            yield f
        finally:
            f.close()

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, i):
        return self.lines[i]


if __name__ == "__main__":
    print(list(DataLoader(Rows("/a"), num_workers=1)))
