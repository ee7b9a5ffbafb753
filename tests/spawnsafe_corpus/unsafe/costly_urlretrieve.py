from urllib.request import urlretrieve
from torch.utils.data import DataLoader

urlretrieve("https://example.org/a.zip", "a.zip")  # expect: SPS103

if __name__ == "__main__":
    print(list(DataLoader([1], num_workers=1)))
