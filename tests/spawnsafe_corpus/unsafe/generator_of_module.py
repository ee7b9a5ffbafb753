"""Each worker imports the module, and makes the generator again with the same seed."""

import numpy
from torch.utils.data import DataLoader, Dataset

random = numpy.random.default_rng(7)  # expect: SPS704
fresh = numpy.random.default_rng()


class Noise(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, number):
        return number + random.normal() + fresh.normal()


if __name__ == "__main__":
    for batch in DataLoader(Noise(), num_workers=2):
        print(batch)
