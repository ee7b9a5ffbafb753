from torch.utils.data import DataLoader
from helpers import is_main
if is_main(__name__):
    print(list(DataLoader([1], num_workers=1)))
