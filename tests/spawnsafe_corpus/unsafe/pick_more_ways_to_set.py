"""Attributes that are set from all keywords, in __new__, and by a field of attrs."""

import threading

import attr
from torch.utils.data import DataLoader


class FromKeywords:
    def __init__(self, **given):
        for name, value in given.items():
            setattr(self, name, value)  # expect: SPS303

    def __len__(self):
        return 4

    def __getitem__(self, number):
        return number


class Made(FromKeywords):
    def __new__(cls):
        made = super().__new__(cls)
        made.lock = threading.Lock()  # expect: SPS303
        return made


@attr.s
class Fields:
    lock = attr.ib(factory=threading.Lock)  # expect: SPS303

    def __len__(self):
        return 4

    def __getitem__(self, number):
        return number


if __name__ == "__main__":
    for data in (FromKeywords(size=4, lock=threading.Lock()), Made(), Fields()):
        for batch in DataLoader(data, num_workers=2):
            print(batch)
