import functools
import operator

from torch.utils.data import DataLoader
from torchvision import transforms


def collate(rows, factor=1):
    return [row * factor for row in rows]


class Scale:
    def __init__(self, by):
        self.by = by

    def __call__(self, row):
        return row * self.by

    def collate(self, rows):
        return rows

    @staticmethod
    def plain(rows):
        return rows


def logged(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)

    return inner


@logged
def wrapped(rows):
    return rows


@functools.lru_cache
def cached(rows):
    return rows


def main():
    for function in (
        collate,
        functools.partial(collate, factor=2),
        Scale(2),
        Scale(2).collate,
        Scale.plain,
        wrapped,
        operator.itemgetter(0),
        cached,
    ):
        print(list(DataLoader([1], num_workers=1, collate_fn=function)))
    steps = transforms.Compose([transforms.ToTensor(), Scale(2)])
    return steps, sorted([3, 1], key=lambda x: -x)


if __name__ == "__main__":
    main()
