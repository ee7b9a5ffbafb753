from collections import namedtuple
from torch.utils.data import DataLoader

def main():
    Row = namedtuple("Row", ["a", "b"])  # expect: SPS302
    rows = [Row(1, 2), Row(3, 4)]
    for batch in DataLoader(rows, num_workers=1):
        print(batch)

if __name__ == "__main__":
    main()
