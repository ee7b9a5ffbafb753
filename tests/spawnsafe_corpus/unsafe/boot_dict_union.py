from torch.utils.data import DataLoader

COMMON = {"batch_size": 2}
OPTIONS = {**COMMON, "num_workers": 2}
(batch,) = [x for x in DataLoader([1, 2], **OPTIONS)]  # expect: SPS101
