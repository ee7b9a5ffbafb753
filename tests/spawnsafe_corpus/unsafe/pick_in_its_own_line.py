"""What is put into a list or dictionary later is reported where it is made; a cached method."""

import functools
import threading

from torch.utils.data import DataLoader, Dataset


class Texts(Dataset):
    def __init__(self, paths):
        self.files = []
        self.things = {}
        for path in paths:
            self.files.append(open(path))  # expect: SPS304
        self.things["lock"] = threading.Lock()  # expect: SPS303
        self.read = functools.lru_cache(maxsize=8)(self._read)  # expect: SPS302

    def _read(self, number):
        return self.files[number].read()

    def __len__(self):
        return len(self.files)

    def __getitem__(self, number):
        return self.read(number)


if __name__ == "__main__":
    for batch in DataLoader(Texts(["a.txt"]), num_workers=2):
        print(batch)
