from torch.utils.data import DataLoader


def main():
    loader = DataLoader(
        [1], num_workers=1, collate_fn=lambda rows: rows, multiprocessing_context="fork"
    )
    print(list(loader))


if __name__ == "__main__":
    main()
