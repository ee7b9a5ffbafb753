import os

from torch.utils.data import DataLoader

for batch in DataLoader([1], num_workers=os.cpu_count() // 2):  # expect: SPS101
    print(batch)
