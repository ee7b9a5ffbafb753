from torch.utils.data import DataLoader


def main():
    print(list(DataLoader([1], num_workers=1)))


if __name__ in ("__main__", "__mp_main__"):
    main()  # expect: SPS101
