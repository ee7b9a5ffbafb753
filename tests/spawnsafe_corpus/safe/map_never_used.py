from torch.utils.data import DataLoader

def train(lr):
    return [b for b in DataLoader([1], num_workers=2)]

results = map(train, [0.1, 0.2])
