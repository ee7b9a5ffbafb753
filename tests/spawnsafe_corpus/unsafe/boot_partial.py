from functools import partial

from torch.utils.data import DataLoader

make = partial(DataLoader, num_workers=2)
print(len(list(make([1, 2]))))  # expect: SPS101
