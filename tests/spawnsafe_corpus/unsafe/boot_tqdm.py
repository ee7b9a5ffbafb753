from torch.utils.data import DataLoader
from tqdm.auto import tqdm

loader = DataLoader([1, 2], num_workers=2)
for batch in tqdm(loader):  # expect: SPS101
    print(batch)
