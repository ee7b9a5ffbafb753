"""Variables that are set together, and one that is set where the device is in use."""

import os

import numpy
import torch

os.environ.update(OMP_NUM_THREADS="2")  # expect: SPS605


def main():
    numbers = torch.zeros(1).cuda()
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # expect: SPS605
    print(numbers, numpy.zeros(1))


if __name__ == "__main__":
    main()
