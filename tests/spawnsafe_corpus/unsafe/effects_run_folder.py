import datetime
import os
import time
from pathlib import Path

import wandb
from torch.utils.data import DataLoader

OUT = Path("/runs") / time.strftime("%H%M%S")
OUT.mkdir(parents=True)  # expect: SPS604
NAME = f"/runs/{datetime.datetime.now():%H%M}"
os.makedirs(NAME, exist_ok=True)  # expect: SPS604
wandb.init(project="digits")  # expect: SPS604


def main():
    print(list(DataLoader([1], num_workers=1)))


if __name__ == "__main__":
    main()
