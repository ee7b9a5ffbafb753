import lightning as L
from torch.utils.data import DataLoader


class Data(L.LightningDataModule):
    def __init__(self, rows, num_workers=4):
        super().__init__()
        self.rows = rows
        self.num_workers = num_workers

    def train_dataloader(self):
        return DataLoader(
            self.rows,
            num_workers=self.num_workers,
            collate_fn=lambda rows: rows,  # expect: SPS301
        )
