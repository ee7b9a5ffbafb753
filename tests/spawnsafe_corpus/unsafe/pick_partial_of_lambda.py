import functools

from torch.utils.data import DataLoader


def main(workers):
    collate = functools.partial(lambda rows, by: rows, by=1)  # expect: SPS301
    return DataLoader([1], num_workers=workers, collate_fn=collate)
