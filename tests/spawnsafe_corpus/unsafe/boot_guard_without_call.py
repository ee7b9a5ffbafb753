from torch.utils.data import DataLoader


def main():
    print(list(DataLoader([1], num_workers=1)))


if __name__ == "__main__":
    pass
main()  # expect: SPS101
