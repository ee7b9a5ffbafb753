from multiprocessing import Pool

from torch.utils.data import DataLoader, Dataset

SIZE = 32
table = None


def set_up(values):
    global table
    table = values


def look_up(key):
    return table[key]


class Images(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        size = SIZE
        return index * size


def main():
    size = 64
    print(size, list(DataLoader(Images(), num_workers=1)))
    with Pool(2, initializer=set_up, initargs=({"a": 1},)) as pool:
        print(pool.map(look_up, ["a"]))


if __name__ == "__main__":
    main()
