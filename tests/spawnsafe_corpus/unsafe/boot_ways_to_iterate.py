"""Unpacking and membership iterate, too; a star import gives the loader."""

import argparse

from torch.utils.data import *

settings = argparse.Namespace(workers=2)
first, *rest = DataLoader(range(10), num_workers=settings.workers)  # expect: SPS101
print(3 in DataLoader(range(10), num_workers=2))  # expect: SPS101
numbers = DataLoader(range(10), num_workers=2).__iter__()  # expect: SPS101
