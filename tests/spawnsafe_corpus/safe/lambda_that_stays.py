from torch.utils.data import DataLoader, Dataset, RandomSampler


class Rows(Dataset):
    names = property(lambda self: ["a"])

    def __init__(self, rows):
        self.rows = sorted(rows, key=lambda row: -row)
        self.rows = list(map(lambda row: row + 1, self.rows))
        self.total = sum(row for row in rows)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        double = lambda x: 2 * x  # noqa: E731
        return double(self.rows[index])


class Ordered:
    def __init__(self, data):
        self.key = lambda index: index

    def __iter__(self):
        return iter([0])

    def __len__(self):
        return 1


if __name__ == "__main__":
    data = Rows([1, 2])
    print(list(DataLoader(data, num_workers=1, sampler=Ordered(data))))
    print(list(DataLoader(data, num_workers=1, sampler=RandomSampler(data))))
