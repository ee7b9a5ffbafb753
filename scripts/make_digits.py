"""Write the digits that the template ships, in each form, from the copy in scikit-learn.

    python -m pip install scikit-learn pillow
    python scripts/make_digits.py

The images are the test part of UCI's "Optical Recognition of Handwritten Digits" (CC BY 4.0):
1,797 of 8x8 pixels, values from 0 to 16. Of every ten, seven are for training, one for
validation and two for the test.
"""

from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits

# Copier needs a few milliseconds for each file of a template, so not all of them become files.
IMAGES_PER_CLASS = {"train": 40, "validation": 10, "test": 10}
DATA = Path(__file__).resolve().parents[1] / "template" / "data"


def main() -> None:
    digits = load_digits()
    images, labels = digits.images.astype(np.uint8), digits.target.astype(np.uint8)
    last_digit = np.arange(len(labels)) % 10
    splits = {"train": last_digit < 7, "validation": last_digit == 7, "test": last_digit > 7}
    for split, chosen in splits.items():
        write_arrays(split, images[chosen], labels[chosen])
        write_images(split, images[chosen], labels[chosen], IMAGES_PER_CLASS[split])


def write_arrays(split: str, images: np.ndarray, labels: np.ndarray) -> None:
    """uint8 of shape (samples, 8, 8), values from 0 to 16, and uint8 labels."""
    folder = DATA / "{% if arrays %}digits{% endif %}"
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / f"{split}_images.npy", images)
    np.save(folder / f"{split}_labels.npy", labels)


def write_images(split: str, images: np.ndarray, labels: np.ndarray, per_class: int) -> None:
    """Grey PNG files, one folder per class; 0 to 16 become 0 to 255."""
    folder = DATA / "{% if images %}digits{% endif %}" / split
    for label in range(10):
        (folder / str(label)).mkdir(parents=True, exist_ok=True)
        for number, image in enumerate(images[labels == label][:per_class]):
            pixels = np.round(image / 16 * 255).astype(np.uint8)
            Image.fromarray(pixels).save(folder / str(label) / f"{number:03}.png", optimize=True)


if __name__ == "__main__":
    main()
