"""A transform that the data set holds is copied with its generator."""

import numpy
from torch.utils.data import DataLoader, Dataset


class Noise:
    def __init__(self):
        self.random = numpy.random.RandomState(1)  # expect: SPS704

    def __call__(self, sample):
        return sample + self.random.rand()


class Samples(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 10

    def __getitem__(self, number):
        return self.transform(number)


if __name__ == "__main__":
    for batch in DataLoader(Samples(Noise()), num_workers=2):
        print(batch)
