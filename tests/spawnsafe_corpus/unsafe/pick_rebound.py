import functools

from torch.utils.data import DataLoader


def logged(function):
    @functools.wraps(function)
    def inner(*args):  # expect: SPS308
        return function(*args)

    return inner


def collate(rows):
    return rows


collate_logged = logged(collate)

if __name__ == "__main__":
    print(list(DataLoader([1], num_workers=1, collate_fn=collate_logged)))
