"""The guard as one of several conditions, and in other words: workers do not come in."""

import multiprocessing
import sys

from torch.utils.data import DataLoader


def show():
    for batch in DataLoader(range(10), num_workers=2):
        print(batch)


if "--show" in sys.argv and __name__ == "__main__":
    show()

if all([len(sys.argv) > 2, __name__ == "__main__"]):
    show()

if __name__.__eq__("__main__"):
    show()

if sys.modules[__name__] is sys.modules.get("__main__"):
    show()

if multiprocessing.current_process().name == "MainProcess":
    show()
