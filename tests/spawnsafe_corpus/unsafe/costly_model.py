"""Weights that each worker loads again."""

import numpy
from torch.utils.data import DataLoader
from torchvision.models import resnet18, resnet50

table = numpy.load("table.npy")  # expect: SPS103
model = resnet50(weights="DEFAULT")  # expect: SPS103
empty = resnet18(weights=None)

if __name__ == "__main__":
    for batch in DataLoader(table, num_workers=2):
        print(model(batch), empty(batch))
