from torch.utils.data import DataLoader, TensorDataset

def main():
    data = TensorDataset()
    data.transform = lambda x: x  # expect: SPS301
    for b in DataLoader(data, num_workers=2):
        print(b)

if __name__ == "__main__":
    main()
