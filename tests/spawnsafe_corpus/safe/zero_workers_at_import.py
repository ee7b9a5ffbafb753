import os

from torch.utils.data import DataLoader

WORKERS = 0
DEBUG = True
SOME = 0 if DEBUG else 4
OPTIONS = {"num_workers": WORKERS}
print(list(DataLoader([1], **OPTIONS)), list(DataLoader([1], num_workers=SOME)))
print(list(DataLoader([1], num_workers=int(os.environ.get("WORKERS", "0")))))
