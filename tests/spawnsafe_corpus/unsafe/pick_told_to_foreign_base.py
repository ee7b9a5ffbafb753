from torch.utils.data import DataLoader
from torchvision.datasets import VisionDataset

class Mine(VisionDataset):
    def __init__(self, root):
        super().__init__(root, transform=lambda x: x)  # expect: SPS301

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return self.transform(i)

if __name__ == "__main__":
    print(list(DataLoader(Mine("/d"), num_workers=2)))
