from pathlib import Path
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, root):
        self.f = (Path(root).expanduser() / "labels.txt").open()  # expect: SPS304

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return self.f.readline()


if __name__ == "__main__":
    print(list(DataLoader(Rows("~/d"), num_workers=1)))
