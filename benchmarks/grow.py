"""The digits of a project, many times over, in each form of data."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np


def grow(project: Path, form: str, factor: int) -> Path:
    """Make a data folder for a project, whose training set is so many times as long; returns it.

    What is there already is used again.
    """
    target = project / f"data-{factor}"
    if not target.exists():
        shutil.copytree(project / "data", target)
        if factor > 1:
            GROWERS[form](target / "digits", factor)
    return target


def grow_arrays(digits: Path, factor: int) -> None:
    for name in ("train_images.npy", "train_labels.npy"):
        array = np.load(digits / name)
        np.save(digits / name, np.concatenate([array] * factor))


def grow_images(digits: Path, factor: int) -> None:
    for file in sorted((digits / "train").rglob("*.png")):
        for number in range(1, factor):
            os.link(file, file.with_name(f"{file.stem}-{number}.png"))


def grow_hdf5(digits: Path, factor: int) -> None:
    import h5py

    path = digits / "train.h5"
    with h5py.File(path) as file:
        arrays = {name: (file[name][:], file[name].chunks) for name in ("images", "labels")}
        options = {"compression": file["images"].compression}
    path.unlink()
    with h5py.File(path, "w") as file:
        for name, (array, chunks) in arrays.items():
            data = np.concatenate([array] * factor)
            file.create_dataset(name, data=data, chunks=chunks, **(options if chunks else {}))


def grow_tabular(digits: Path, factor: int) -> None:
    import pyarrow
    from pyarrow import parquet

    path = digits / "train.parquet"
    parquet.write_table(pyarrow.concat_tables([parquet.read_table(path)] * factor), path)


def grow_stream(digits: Path, factor: int) -> None:
    shards = sorted(digits.glob("train-*.tar"))
    for number in range(len(shards), factor * len(shards)):
        os.link(shards[number % len(shards)], digits / f"train-{number:05}.tar")


GROWERS = {
    "arrays": grow_arrays,
    "images": grow_images,
    "hdf5": grow_hdf5,
    "tabular": grow_tabular,
    "stream": grow_stream,
}
"""By the answer to `dataset`."""
