from torch.utils.data import DataLoader


def one():
    return two()


def two():
    for batch in DataLoader([1, 2], num_workers=2):
        print(batch)


one()  # expect: SPS101
