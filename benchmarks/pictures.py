"""Large pictures: JPEG files, drawn at random, and a data set of them."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset


class Pictures(Dataset[torch.Tensor]):
    """JPEG files, decoded, and made small enough for a usual network: float32 (3, 224, 224)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self.names = np.array(sorted(path.name for path in folder.glob("*.jpg")))

    def __len__(self) -> int:
        return len(self.names)

    def read(self, index: int) -> bytes:
        return (self.folder / str(self.names[index])).read_bytes()

    def prepare(self, raw: bytes) -> torch.Tensor:
        with Image.open(io.BytesIO(raw)) as picture:
            small = picture.convert("RGB").resize((224, 224), Image.Resampling.BILINEAR)
        return torch.from_numpy(np.array(small)).permute(2, 0, 1).float() / 255

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.prepare(self.read(index))


def draw_pictures(folder: Path, count: int) -> None:
    """Write JPEG files of 640 x 480 pixels with shapes and noise, about 100 kB each."""
    folder.mkdir(parents=True)
    generator = np.random.default_rng(0)
    for number in range(count):
        coarse = generator.integers(0, 256, (12, 16, 3), dtype=np.uint8)
        smooth = Image.fromarray(coarse).resize((640, 480), Image.Resampling.BICUBIC)
        noise = generator.normal(0, 8, (480, 640, 3))
        pixels = (np.asarray(smooth) + noise).clip(0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{number:05}.jpg", quality=85)
