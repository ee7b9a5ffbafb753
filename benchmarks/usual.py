"""Data sets as people write them who have not met a worker's memory yet."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset

Sample = tuple[torch.Tensor, int]


class ListOfPaths(Dataset[Sample]):
    """A Python list with a path and a label for each image of a project's folder."""

    def __init__(self, images: Any) -> None:
        self.samples = [
            (str(images.folder / str(name)), int(label))
            for name, label in zip(images.names, images.labels, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> Sample:
        path, label = self.samples[index]
        with Image.open(path) as image:
            pixels = np.array(image.convert("L"))
        return torch.from_numpy(pixels).unsqueeze(0).float() / 255, label


class ArrayInMemory(Dataset[Sample]):
    """A project's arrays, read as a whole and made floats at the start."""

    def __init__(self, arrays: Any) -> None:
        self.images = np.array(arrays.images, dtype=np.float32)[:, None] / 16
        self.labels = np.array(arrays.labels, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> Sample:
        return torch.from_numpy(self.images[index]), int(self.labels[index])
