"""Files that are opened by map, by a generator, and for a stack."""

from contextlib import ExitStack

from torch.utils.data import DataLoader, Dataset


class Texts(Dataset):
    def __init__(self, paths):
        self.mapped = list(map(open, paths))  # expect: SPS304
        self.generated = tuple(open(path) for path in paths)  # expect: SPS304
        self.stack = ExitStack()
        self.entered = self.stack.enter_context(open(paths[0]))  # expect: SPS304

    def __len__(self):
        return len(self.mapped)

    def __getitem__(self, number):
        return self.mapped[number].readline()


if __name__ == "__main__":
    for batch in DataLoader(Texts(["a.txt", "b.txt"]), num_workers=2):
        print(batch)
