import urllib.request
from torch.utils.data import DataLoader

urllib.request.urlretrieve("https://example.org/a.bin", "a.bin")

def main():
    for b in DataLoader([1]):
        print(b)

if __name__ == "__main__":
    main()
