from pathlib import Path
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, root):
        path = Path(root).expanduser().resolve() / "labels.txt"
        with path.open() as f:
            self.labels = f.read().split()
        self.path = path.parent / "images"
        self.cache = path.with_suffix(".cache.npy")

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        with (self.path / self.labels[i]).open("rb") as f:
            return len(f.read())


if __name__ == "__main__":
    print(list(DataLoader(Rows("~/d"), num_workers=1)))
