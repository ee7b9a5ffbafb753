from torch.utils.data import DataLoader


class Trainer:
    def __init__(self):
        self.loader = DataLoader([1, 2], num_workers=2)

    def fit(self):
        for batch in self.loader:
            print(batch)


trainer = Trainer()
trainer.fit()  # expect: SPS101
