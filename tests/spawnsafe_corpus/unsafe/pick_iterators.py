import json

from torch.utils.data import Dataset


def numbers():
    yield from range(3)


class Odd(Dataset):
    def __init__(self, rows):
        self.stream = numbers()  # expect: SPS306
        self.squares = (row * row for row in rows)  # expect: SPS306
        self.codec = json  # expect: SPS306
        self.index = {"a": 1}
        self.keys = self.index.keys()  # expect: SPS306

    def __getitem__(self, index):
        return index
