import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    x = torch.rand(8, 2).cuda()  # expect: SPS402
    data = TensorDataset(x)
    for batch in DataLoader(data, num_workers=2):
        print(batch)


if __name__ == "__main__":
    main()
