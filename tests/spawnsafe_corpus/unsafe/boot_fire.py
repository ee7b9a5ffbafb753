import fire
from torch.utils.data import DataLoader

def train(epochs=1):
    for b in DataLoader([1], num_workers=2):
        print(b)

fire.Fire(train)  # expect: SPS101
