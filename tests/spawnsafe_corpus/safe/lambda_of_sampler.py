from torch.utils.data import DataLoader, Sampler

class Ordered(Sampler):
    def __init__(self, n):
        self.key = lambda i: -i
        self.n = n

    def __iter__(self):
        return iter(sorted(range(self.n), key=self.key))

    def __len__(self):
        return self.n

if __name__ == "__main__":
    print(list(DataLoader(range(3), sampler=Ordered(3), num_workers=2)))
