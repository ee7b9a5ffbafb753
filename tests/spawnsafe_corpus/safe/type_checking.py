from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch.utils.data import DataLoader

    SHAPE = list(DataLoader([1], num_workers=1))
