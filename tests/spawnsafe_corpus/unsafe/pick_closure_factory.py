from torch.utils.data import DataLoader


def make_collate(size):
    def collate(rows):  # expect: SPS302
        return rows[:size]

    return collate


if __name__ == "__main__":
    print(list(DataLoader([1], num_workers=1, collate_fn=make_collate(3))))
