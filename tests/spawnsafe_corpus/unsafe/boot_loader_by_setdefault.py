from torch.utils.data import DataLoader

class Fast(DataLoader):
    def __init__(self, data, **kw):
        kw.setdefault("num_workers", 2)
        super().__init__(data, **kw)

for b in Fast([1, 2]):  # expect: SPS101
    print(b)
