import argparse

from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=4)
args = parser.parse_args()  # expect: SPS603
for batch in DataLoader([1], num_workers=args.workers):  # expect: SPS101
    print(batch)
