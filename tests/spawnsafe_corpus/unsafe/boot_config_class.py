from dataclasses import dataclass

from torch.utils.data import DataLoader


@dataclass
class Config:
    workers: int = 2


config = Config()
total = sum(batch for batch in DataLoader([1], num_workers=config.workers))  # expect: SPS101
