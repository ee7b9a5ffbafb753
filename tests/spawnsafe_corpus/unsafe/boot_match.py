from torch.utils.data import DataLoader

match __name__:
    case "__main__":
        print("main")
    case _:
        print(list(DataLoader([1], num_workers=1)))  # expect: SPS101
