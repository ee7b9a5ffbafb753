from torch.utils.data import DataLoader, IterableDataset


class Lines(IterableDataset):
    def __init__(self, path):
        self.path = path

    def __iter__(self):  # expect: SPS703
        with open(self.path) as file:
            for line in file:
                yield line


class Rows(IterableDataset):
    def __init__(self, rows):
        self.rows = list(rows)

    def __iter__(self):  # expect: SPS703
        return iter(self.rows)


def main():
    print(list(DataLoader(Lines(__file__), num_workers=2)))
    print(list(DataLoader(Rows([1, 2]), num_workers=2)))


if __name__ == "__main__":
    main()
