"""copyreg says how objects of the class travel."""

import copyreg
import threading

from torch.utils.data import DataLoader


class Counter:
    def __init__(self, start):
        self.value = start
        self.lock = threading.Lock()


def take_apart(counter):
    return Counter, (counter.value,)


copyreg.pickle(Counter, take_apart)


class Numbers:
    def __init__(self):
        self.counter = Counter(3)

    def __len__(self):
        return 8

    def __getitem__(self, number):
        return number + self.counter.value


if __name__ == "__main__":
    for batch in DataLoader(Numbers(), num_workers=2):
        print(batch)
