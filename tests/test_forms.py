"""Data in each form: the same samples however they are loaded, small in a worker."""

from __future__ import annotations

import importlib
import json
import os
import pickle
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from children import run_child
from forms import FORMS, Form
from rendering import ROOT
from running import HERE, PROGRAMS, TIMEOUT_S, result

pytestmark = pytest.mark.usefixtures("no_cache_of_this_person")
METHODS = ["forkserver", "spawn"] if HERE == "linux" else ["spawn"]
linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells that of a process"
)


@pytest.fixture
def make_digits(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script that wrote the digits of the template."""
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return importlib.import_module("make_digits")


def write(script: ModuleType, form: str, folder: Path, length: int) -> None:
    """Write a training set of any length, all different, with the labels 0 to 9 in turn."""
    numbers = np.arange(length)
    images = np.zeros((length, 8, 8), np.uint8)
    images[:, 0, :6] = numbers[:, None] // 16 ** np.arange(6) % 16
    writers = {
        "arrays": script.write_arrays,
        "hdf5": script.write_hdf5,
        "tabular": script.write_table,
        "stream": script.write_shards,
    }
    (folder / "digits").mkdir(parents=True, exist_ok=True)
    writers[form](folder / "digits", "train", images, (numbers % 10).astype(np.uint8))
    if hasattr(os, "sync"):
        os.sync()  # what waits to be written counts as memory of whoever maps it


def run(form: Form, case: str, **options: Any) -> Any:
    """Run a case of programs/loading.py; nothing of it may stay behind."""
    source = str(form.project.folder / "src")
    ended = run_child(
        [sys.executable, PROGRAMS / "loading.py", form.project.package, case, json.dumps(options)],
        cwd=form.project.folder,
        environment={
            "PYTHONPATH": (";" if sys.platform == "win32" else ":").join([source, str(PROGRAMS)])
        },
        timeout_s=TIMEOUT_S,
    )
    assert ended.left == []
    assert "starts threads" not in ended.output  # the fork server can have the data module
    return result(ended)


@pytest.mark.full
@pytest.mark.parametrize("name", FORMS)
def test_each_sample_comes_once_and_batches_are_the_same_in_all_ways(
    name: str, forms: dict[str, Form]
) -> None:
    workers = [(0, METHODS[0]), *((2, method) for method in METHODS)]
    found = run(forms[name], "project_data", workers=workers)
    assert len(found["batches"]) == len(workers)
    assert len(set(found["batches"].values())) == 1, found
    assert found["resumed"] and found["once"] and found["shuffled"]
    # A table is read by the main process alone, once.
    library = {"hdf5": ["h5py"], "stream": ["fsspec"]}.get(name, [])
    assert found["modules_of_worker"] == library


@pytest.mark.full
@pytest.mark.parametrize("name", ["arrays", "hdf5", "tabular", "stream"])
@linux_only
def test_ten_times_the_data_takes_no_more_memory_of_a_worker(
    name: str,
    forms: dict[str, Form],
    make_digits: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(make_digits, "SHARD_SAMPLES", 1_000)
    sizes = []
    for length in (2_000, 20_000):
        folder = tmp_path / str(length)
        write(make_digits, name, folder, length)
        sizes.append(run(forms[name], "memory", data_dir=str(folder)))
    assert sizes[1] < 1.05 * sizes[0]


@pytest.mark.parametrize("name", FORMS)
def test_what_travels_to_a_worker_is_small_and_works_there(
    name: str, forms: dict[str, Form]
) -> None:
    dataset = forms[name].dataset(forms[name].project.folder / "data", augment=True)
    expected = dataset.read(7)
    pickled = pickle.dumps(dataset)
    assert len(pickled) < 20_000
    copy = pickle.loads(pickled)
    assert len(copy) == len(dataset)
    assert all(np.array_equal(a, b) for a, b in zip(copy.read(7), expected, strict=True))


@pytest.mark.parametrize("name", ["hdf5", "stream"])
def test_an_epoch_needs_few_parts_at_a_time(
    name: str, forms: dict[str, Form], make_digits: ModuleType, tmp_path: Path
) -> None:
    write(make_digits, name, tmp_path, 1_010)
    dataset = forms[name].dataset(tmp_path)
    part_length = {"hdf5": make_digits.CHUNK_SAMPLES, "stream": make_digits.SHARD_SAMPLES}[name]
    order = dataset.epoch_order(np.random.default_rng(1))
    assert sorted(order) == list(range(1_010))
    parts = order // part_length
    # Each part is complete before the fifth after it begins.
    first, last = ({p: int(f(np.flatnonzero(parts == p))) for p in set(parts)} for f in (min, max))
    assert all(sum(first[q] < last[p] and last[q] > first[p] for q in first) <= 4 for p in first)
    keys = forms[name].module("runtime.batches").batch_keys
    shares = [
        list(
            keys(
                1_010,
                16,
                seed=2,
                epoch=3,
                shuffle=True,
                epoch_order=dataset.epoch_order,
                rank=r,
                world_size=3,
            )
        )
        for r in range(3)
    ]
    assert sorted(i for share in shares for key in share for i in key.indices) == list(range(1_010))


def test_an_order_that_loses_samples_is_refused(forms: dict[str, Form]) -> None:
    hdf5 = forms["hdf5"]
    keys = hdf5.module("runtime.batches").batch_keys
    for wrong in ([0, 1, 1], [0, 1], [1, 2, 3]):
        with pytest.raises(hdf5.error, match="each number from 0 to 2 once"):
            list(
                keys(
                    3, 2, seed=0, epoch=0, shuffle=True, epoch_order=lambda _, o=wrong: np.array(o)
                )
            )
