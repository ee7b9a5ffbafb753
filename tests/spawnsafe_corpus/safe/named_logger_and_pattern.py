import logging
import re

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self):
        self.log = logging.getLogger(__name__)
        self.pattern = re.compile("a+")
        self.kind = dict
        self.pairs = list(zip([1], [2]))
        self.keys = list({"a": 1}.keys())

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return index


if __name__ == "__main__":
    print(list(DataLoader(Rows(), num_workers=1)))
