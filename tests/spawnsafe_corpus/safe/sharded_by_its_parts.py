from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Part(IterableDataset):
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        info = get_worker_info()
        yield from self.rows[info.id :: info.num_workers]


class Parts(IterableDataset):
    def __init__(self, tables):
        self.parts = [Part(rows) for rows in tables]

    def __iter__(self):
        for part in self.parts:
            for row in part:
                yield row


if __name__ == "__main__":
    print(list(DataLoader(Parts([[1, 2], [3, 4]]), num_workers=2)))
