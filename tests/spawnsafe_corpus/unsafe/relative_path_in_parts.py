"""A relative path that is put together."""

import os

from torch.utils.data import Dataset


class Texts(Dataset):
    def __init__(self, root, names):
        self.root, self.names = root, names

    def __len__(self):
        return len(self.names)

    def __getitem__(self, number):
        with open("texts/" + self.names[number]) as file:  # expect: SPS503
            text = file.read()
        with open(f"labels/{number}.txt") as file:  # expect: SPS503
            label = file.read()
        with open(os.path.join("masks", self.names[number])) as file:  # expect: SPS503
            mask = file.read()
        with open(os.path.join(self.root, f"more/{number}.txt")) as file:
            more = file.read()
        return text, label, mask, more
