from torch.utils.data import DataLoader, Dataset

def make(n):
    return type("Rows", (Dataset,), {"__len__": len, "__getitem__": abs})  # expect: SPS302

if __name__ == "__main__":
    print(list(DataLoader(make(1)(), num_workers=1)))
