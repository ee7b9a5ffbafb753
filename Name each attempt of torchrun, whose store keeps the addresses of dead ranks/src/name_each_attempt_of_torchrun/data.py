"""YOURS. The data: images and labels in .npy files, read from disk as they are needed.

To use your own: replace the files in data/, or write a class with `read` and `prepare`, and
return it from `make_dataset`. Keep such a class in a module, so that workers can import it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset

from .runtime.errors import ProjectError

Sample = tuple[torch.Tensor, int]
CLASSES = 10
"""How many digits there are; labels are numbers below it."""


class DigitArrays(Dataset[Sample]):
    """Handwritten digits in two arrays, mapped into memory: workers share one copy of the pages.

    A sample is an image, float32 of shape (1, 8, 8) with values from 0 to 1, and its label, an
    int from 0 to 9.

    Args:
        images_path: .npy file, uint8 of shape (samples, 8, 8), values from 0 to 16.
        labels_path: .npy file, uint8 of shape (samples,).
        augment: shift each image at random by up to one pixel.

    Raises:
        ProjectError: a file is missing, damaged, or does not hold what is expected.
    """

    def __init__(self, images_path: Path, labels_path: Path, *, augment: bool = False) -> None:
        # Absolute, since a worker may have another working folder.
        self.images_path, self.labels_path = images_path.absolute(), labels_path.absolute()
        self.augment = augment
        self._open()
        if len(self.images) != len(self.labels):
            raise ProjectError(
                f"{self.images_path} has {len(self.images)} images, but {self.labels_path} has "
                f"{len(self.labels)} labels: expected one label for each image."
            )
        if (wrong := np.flatnonzero(self.labels >= CLASSES)).size:
            raise ProjectError(
                f"{self.labels_path} has the label {self.labels[wrong[0]]} at {wrong[0]}: expected "
                f"numbers below {CLASSES}, which is CLASSES in data.py."
            )

    def _open(self) -> None:
        self.images = open_array(self.images_path, np.dtype(np.uint8), (None, 8, 8))
        self.labels = open_array(self.labels_path, np.dtype(np.uint8), (None,))

    def __len__(self) -> int:
        return len(self.images)

    def read(self, index: int) -> tuple[np.ndarray, int]:
        """Fetch what is stored. May wait for the disk; must draw no random numbers."""
        return np.array(self.images[index]), int(self.labels[index])

    def prepare(self, raw: tuple[np.ndarray, int]) -> Sample:
        """Make a sample of it. May compute and draw from `random`, numpy's or torch's generator."""
        pixels, label = raw
        image = torch.from_numpy(pixels).unsqueeze(0).float() / 16
        return (shift_at_random(image) if self.augment else image), label

    def __getitem__(self, index: int) -> Sample:
        return self.prepare(self.read(index))

    # A mapped array would be pickled as a whole copy for each worker: send its path instead.
    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in ("images", "labels")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._open()


def open_array(path: Path, dtype: np.dtype[Any], shape: tuple[int | None, ...]) -> np.ndarray:
    """Map a .npy file into memory; None in `shape` stands for any length.

    Raises:
        ProjectError: the file is missing, damaged, or holds another kind of array.
    """
    expected = f"a .npy file of {dtype} with shape {shape}".replace("None", "any")
    try:
        array: np.ndarray = np.lib.format.open_memmap(path, mode="r")
    except OSError as error:
        raise ProjectError(
            f"{path} cannot be opened ({error.strerror}): expected {expected}. "
            "--data-dir names the folder with the data."
        ) from error
    except (ValueError, EOFError) as error:  # cut short, or no .npy file at all
        raise ProjectError(f"{path} is damaged ({error}): expected {expected}.") from error
    fits = array.ndim == len(shape) and all(
        wanted in (None, found) for wanted, found in zip(shape, array.shape, strict=True)
    )
    if array.dtype != dtype or not fits:
        raise ProjectError(
            f"{path} holds {array.dtype} with shape {array.shape}: expected {expected}. Convert it, "
            "or change DigitArrays in data.py."
        )
    return array


def shift_at_random(image: torch.Tensor) -> torch.Tensor:
    """Move an image of shape (1, height, width) by -1, 0 or 1 pixel each way, filling with 0."""
    _, height, width = image.shape
    top, left = torch.randint(0, 3, (2,)).tolist()
    padded = torch.nn.functional.pad(image, (1, 1, 1, 1))
    return padded[:, top : top + height, left : left + width]


def make_dataset(data_dir: Path, split: str, *, augment: bool = False) -> DigitArrays:
    """The samples of one split: "train", "validation" or "test"."""
    folder = data_dir / "digits"
    images_path, labels_path = folder / f"{split}_images.npy", folder / f"{split}_labels.npy"
    return DigitArrays(images_path, labels_path, augment=augment)
