import tempfile
from multiprocessing import Process

import torch
from torch.utils.data import IterableDataset


def work(pairs, path):
    for name, value in pairs:
        print(name, value, path)


class Files:
    def __init__(self, names):
        self.names = sorted(name.lower() for name in names)


class MadeUp(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        for _ in range(self.count):
            yield torch.randn(2)


if __name__ == "__main__":
    name, value = "a", object()
    file = tempfile.NamedTemporaryFile()
    Process(target=work, args=([], file.name)).start()
    Process(target=print, args=(Files(["B", "a"]),)).start()
