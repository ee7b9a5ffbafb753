from torch.utils.data import DataLoader


def logged(function):
    def inner(*args):  # expect: SPS302
        return function(*args)

    return inner


@logged
def collate(rows):
    return rows


if __name__ == "__main__":
    print(list(DataLoader([1], num_workers=1, collate_fn=collate)))
