from torch.utils.data import DataLoader


class Quick(DataLoader):
    def __init__(self, data):
        super().__init__(data, batch_size=2, num_workers=2)


for batch in Quick([1, 2]):  # expect: SPS101
    print(batch)
