"""HDF5: chunks that are unpacked once, and errors that say what to do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from forms import Form, digits_file, lose_the_end

pytestmark = pytest.mark.usefixtures("no_cache_of_this_person")


@pytest.fixture
def hdf5(forms: dict[str, Form]) -> Form:
    return forms["hdf5"]


def test_a_chunk_is_unpacked_once(hdf5: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = hdf5.dataset(hdf5.project.folder / "data")
    unpacked: list[str] = []
    get = h5py.Dataset.__getitem__

    def counted(array: h5py.Dataset, key: Any, **options: Any) -> Any:
        unpacked.append(array.name)
        return get(array, key, **options)

    monkeypatch.setattr(h5py.Dataset, "__getitem__", counted)
    for index in dataset.epoch_order(np.random.default_rng(0)).tolist():
        dataset.read(index)
    assert unpacked.count("/images") == unpacked.count("/labels") == -(-len(dataset) // 64)


def replace(path: Path, name: str, array: np.ndarray) -> None:
    with h5py.File(path, "r+") as file:
        del file[name]
        file[name] = array


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (Path.unlink, "train.h5 is not there: expected an HDF5 file"),
        (lose_the_end, "train.h5 cannot be opened: it is cut short"),
        (lambda path: path.write_text("no HDF5"), "it is no HDF5 file, or damaged"),
        (lambda path: h5py.File(path, "w").close(), "has no data set 'images', but nothing"),
        (
            lambda path: replace(path, "images", np.zeros((1260, 8, 8), np.float32)),
            r"'images' of .* is float32 with shape \(1260, 8, 8\): expected uint8 with shape \(any",
        ),
        (
            lambda path: replace(path, "images", np.zeros((1260, 9, 9), np.uint8)),
            r"with shape \(1260, 9, 9\): expected uint8 with shape \(any, 8, 8\)\. Convert it",
        ),
        (
            lambda path: replace(path, "labels", np.zeros(3, np.uint8)),
            r"'labels' of .* with shape \(3,\): expected uint8 with shape \(1260,\)",
        ),
        (
            lambda path: replace(path, "labels", np.full(1260, 10, np.uint8)),
            "has the label 10 at 0: expected numbers below 10",
        ),
    ],
)
def test_what_is_wrong_with_an_hdf5_file_is_named(
    spoil: Callable[[Path], Any], words: str, hdf5: Form, tmp_path: Path
) -> None:
    spoil(digits_file(hdf5, tmp_path))
    with pytest.raises(hdf5.error, match=words):
        hdf5.dataset(tmp_path)


def test_a_damaged_chunk_is_named_when_it_is_read(hdf5: Form, tmp_path: Path) -> None:
    path = digits_file(hdf5, tmp_path)
    with h5py.File(path) as file:
        chunk = file["images"].id.get_chunk_info(3)
    content = bytearray(path.read_bytes())
    content[chunk.byte_offset + 50] ^= 255
    path.write_bytes(content)
    dataset = hdf5.dataset(tmp_path)
    dataset.read(0)
    with pytest.raises(hdf5.error, match=r"train\.h5 is damaged .*: get it anew"):
        dataset.read(3 * 64)


WRITER = """
import os, sys, h5py
file = h5py.File(sys.argv[1], "w", libver="latest")
images = file.create_dataset("images", (64, 8, 8), "u1", maxshape=(None, 8, 8), chunks=(64, 8, 8))
if sys.argv[2] == "swmr":
    file.swmr_mode = True
file.flush()
print("writing", flush=True)
sys.stdin.read()
os._exit(1)  # as if killed: nothing is closed
"""


@pytest.mark.parametrize("mode", ["alone", "swmr"])
def test_an_hdf5_file_that_is_being_written_is_named(mode: str, hdf5: Form, tmp_path: Path) -> None:
    path = digits_file(hdf5, tmp_path)
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, path, mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with writer:
        assert writer.stdout and writer.stdout.readline() == b"writing\n"
        with pytest.raises(hdf5.error, match="another program writes it: wait until that has"):
            hdf5.dataset(tmp_path)
    with pytest.raises(hdf5.error, match="ended without closing it, try: h5clear -s"):
        hdf5.dataset(tmp_path)
