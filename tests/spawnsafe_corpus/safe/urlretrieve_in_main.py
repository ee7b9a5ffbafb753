from urllib.request import urlretrieve
from torch.utils.data import DataLoader

def main():
    urlretrieve("https://example.org/a.zip", "a.zip")
    print(list(DataLoader([1], num_workers=1)))

if __name__ == "__main__":
    main()
