from torch.utils.data import DataLoader

pad = lambda rows: rows  # noqa: E731  # expect: SPS301


def main():
    print(list(DataLoader([1], num_workers=1, collate_fn=pad)))


if __name__ == "__main__":
    main()
