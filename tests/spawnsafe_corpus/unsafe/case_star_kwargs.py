"""num_workers arrives through a dict."""
from torch.utils.data import DataLoader
OPTIONS = {"batch_size": 1, "num_workers": 2}
for b in DataLoader([1, 2], **OPTIONS):  # expect: SPS101
    print(b)
