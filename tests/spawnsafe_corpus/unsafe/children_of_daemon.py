from multiprocessing import Pool, Process

from torch.utils.data import DataLoader, Dataset


class Nested(Dataset):
    def __len__(self):
        return 1

    def __getitem__(self, index):
        return next(iter(DataLoader([index], num_workers=1)))  # expect: SPS707


def inner(n):
    with Pool(1) as pool:  # expect: SPS707
        return pool.map(abs, [n])


def main():
    Process(target=inner, args=(1,), daemon=True).start()
    print(list(DataLoader(Nested(), num_workers=1)))


if __name__ == "__main__":
    main()
