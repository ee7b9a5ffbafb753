import random

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Split(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        yield from range(info.id if info else 0, 8, info.num_workers if info else 1)


class Endless(IterableDataset):
    def __iter__(self):
        while True:
            yield random.random()


class Wrapped(IterableDataset):
    def __init__(self, inner):
        self.inner = inner

    def __iter__(self):
        for sample in self.inner:
            yield sample + 1


class MadeUp(IterableDataset):
    def __iter__(self):
        for _ in range(8):
            yield torch.rand(2)


class Whole(IterableDataset):
    def __iter__(self):
        yield from range(8)


def main():
    for data in (Split(), Endless(), Wrapped(Split()), MadeUp()):
        print(next(iter(DataLoader(data, num_workers=2))))
    print(list(DataLoader(Whole(), num_workers=1)), list(DataLoader(Whole())))


if __name__ == "__main__":
    main()
