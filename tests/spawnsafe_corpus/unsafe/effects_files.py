import logging
import shutil

from torch.utils.data import DataLoader

LOG = open("/tmp/metrics.csv", "w")  # expect: SPS602
handler = logging.FileHandler("/tmp/run.log", mode="w")  # expect: SPS602
shutil.rmtree("/tmp/out", ignore_errors=True)  # expect: SPS602


def main():
    print(list(DataLoader([1], num_workers=1)))


if __name__ == "__main__":
    main()
