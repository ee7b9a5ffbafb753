import lightning as L
import torch
from torch.utils.data import DataLoader, random_split
from torchvision import transforms
from torchvision.datasets import MNIST


class MNISTData(L.LightningDataModule):
    def __init__(self, root="/data", batch_size=32, num_workers=4):
        super().__init__()
        self.save_hyperparameters()
        self.transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1,), (0.3,))])

    def prepare_data(self):
        MNIST(self.hparams.root, download=True)

    def setup(self, stage=None):
        full = MNIST(self.hparams.root, transform=self.transform)
        self.train, self.val = random_split(full, [55000, 5000], generator=torch.Generator().manual_seed(0))

    def train_dataloader(self):
        return DataLoader(self.train, self.hparams.batch_size, num_workers=self.hparams.num_workers, persistent_workers=self.hparams.num_workers > 0)

    def val_dataloader(self):
        return DataLoader(self.val, self.hparams.batch_size, num_workers=self.hparams.num_workers)


def main():
    trainer = L.Trainer(accelerator="auto", devices=1, max_epochs=3)
    trainer.fit(Net(), datamodule=MNISTData())


if __name__ == "__main__":
    main()
