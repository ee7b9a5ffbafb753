import logging
import os
import tempfile
import time

from torch.utils.data import DataLoader

STARTED = time.time()
ROOT = os.environ.setdefault("ROOT", tempfile.mkdtemp())
os.makedirs("/tmp/runs", exist_ok=True)
logging.basicConfig(filename="/tmp/run.log", level=logging.INFO)
with open(__file__) as file:
    SOURCE = file.read()


def main():
    print(list(DataLoader([1], num_workers=1)), STARTED)


if __name__ == "__main__":
    main()
