"""The samples come from another method, or through map."""

from torch.utils.data import DataLoader, IterableDataset


class Count(IterableDataset):
    def numbers(self):
        for number in range(100):
            yield number

    def __iter__(self):  # expect: SPS703
        return iter(self.numbers())


class Words(IterableDataset):
    def __init__(self):
        self.words = ["a", "b", "c"]

    def __iter__(self):  # expect: SPS703
        return map(str.upper, self.words)


if __name__ == "__main__":
    for data in (Count(), Words()):
        for batch in DataLoader(data, num_workers=2):
            print(batch)
