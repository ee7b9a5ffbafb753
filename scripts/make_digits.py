"""Write the digits that the template ships, in each form, from the copy in scikit-learn.

    python -m pip install h5py pillow pyarrow scikit-learn
    python scripts/make_digits.py

The images are the test part of UCI's "Optical Recognition of Handwritten Digits" (CC BY 4.0):
1,797 of 8x8 pixels, values from 0 to 16. Of every ten, seven are for training, one for
validation and two for the test.
"""

import io
import tarfile
from pathlib import Path

import h5py
import numpy as np
import pyarrow
from PIL import Image
from pyarrow import parquet

# Copier needs a few milliseconds for each file of a template, so not all of them become files.
IMAGES_PER_CLASS = {"train": 40, "validation": 10, "test": 10}
CHUNK_SAMPLES = 64
"""What HDF5 compresses, and reads, as one."""
SHARD_SAMPLES = 100
DATA = Path(__file__).resolve().parents[1] / "template" / "data"


def main() -> None:
    from sklearn.datasets import load_digits  # the tests use the rest of this file without it

    digits = load_digits()
    images, labels = digits.images.astype(np.uint8), digits.target.astype(np.uint8)
    last_digit = np.arange(len(labels)) % 10
    splits = {"train": last_digit < 7, "validation": last_digit == 7, "test": last_digit > 7}
    for split, chosen in splits.items():
        data = split, images[chosen], labels[chosen]
        write_arrays(folder_for("arrays"), *data)
        write_images(folder_for("images"), *data, IMAGES_PER_CLASS[split])
        write_hdf5(folder_for("hdf5"), *data)
        write_table(folder_for("tabular"), *data)
        some = slice(10 * IMAGES_PER_CLASS[split])  # not all: tar takes 2 kB for each
        write_shards(folder_for("stream"), split, images[chosen][some], labels[chosen][some])


def folder_for(form: str) -> Path:
    """Where the template has the digits in a form; its name is a condition for Copier."""
    folder = DATA / f"{{% if {form} %}}digits{{% endif %}}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_arrays(folder: Path, split: str, images: np.ndarray, labels: np.ndarray) -> None:
    """uint8 of shape (samples, 8, 8), values from 0 to 16, and uint8 labels."""
    np.save(folder / f"{split}_images.npy", images)
    np.save(folder / f"{split}_labels.npy", labels)


def write_images(
    folder: Path, split: str, images: np.ndarray, labels: np.ndarray, per_class: int
) -> None:
    """Grey PNG files, one folder per class; 0 to 16 become 0 to 255."""
    for label in range(10):
        place = folder / split / str(label)
        place.mkdir(parents=True, exist_ok=True)
        for number, image in enumerate(images[labels == label][:per_class]):
            (place / f"{number:03}.png").write_bytes(as_png(image))


def as_png(image: np.ndarray) -> bytes:
    """A grey PNG file; 0 to 16 become 0 to 255."""
    file = io.BytesIO()
    pixels = np.round(image / 16 * 255).astype(np.uint8)
    Image.fromarray(pixels).save(file, "png", optimize=True)
    return file.getvalue()


def write_hdf5(folder: Path, split: str, images: np.ndarray, labels: np.ndarray) -> None:
    """The same arrays in one file, compressed in chunks, with a checksum for each."""
    with h5py.File(folder / f"{split}.h5", "w") as file:
        for name, array in {"images": images, "labels": labels}.items():
            chunk = (CHUNK_SAMPLES, *array.shape[1:])
            file.create_dataset(name, data=array, chunks=chunk, compression="gzip", fletcher32=True)


def write_table(folder: Path, split: str, images: np.ndarray, labels: np.ndarray) -> None:
    """A table with a column for each pixel, from pixel_0 to pixel_63, and one for the label."""
    columns = {f"pixel_{number}": pixel for number, pixel in enumerate(images.reshape(-1, 64).T)}
    table = pyarrow.table({**columns, "label": labels})
    parquet.write_table(table, folder / f"{split}.parquet")


def write_shards(folder: Path, split: str, images: np.ndarray, labels: np.ndarray) -> None:
    """Tar files in WebDataset's layout: KEY.png, and KEY.cls with the label as text."""
    for number, start in enumerate(range(0, len(images), SHARD_SAMPLES)):
        with tarfile.open(folder / f"{split}-{number:03}.tar", "w") as shard:
            for index in range(start, min(start + SHARD_SAMPLES, len(images))):
                parts = {"png": as_png(images[index]), "cls": str(labels[index]).encode()}
                for extension, content in parts.items():
                    member = tarfile.TarInfo(f"{index:06}.{extension}")
                    member.size = len(content)
                    shard.addfile(member, io.BytesIO(content))


if __name__ == "__main__":
    main()
