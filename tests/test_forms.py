"""Data in each form: the same samples however they are loaded, and errors that say what to do."""

from __future__ import annotations

import csv
import importlib
import io
import json
import os
import pickle
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import fsspec
import h5py
import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from children import run_child
from rendering import ROOT, Project, render
from running import HERE, PROGRAMS, TIMEOUT_S, require_runnable, result
from variants import DEFAULT

FORMS = ("arrays", "images", "hdf5", "tabular", "stream")
METHODS = ["forkserver", "spawn"] if HERE == "linux" else ["spawn"]
linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells that of a process"
)


@dataclass(frozen=True)
class Form:
    """A rendered project whose data has one form, imported into this process."""

    project: Project

    def module(self, name: str) -> ModuleType:
        return importlib.import_module(f"{self.project.package}.{name}")

    @property
    def error(self) -> type[Exception]:
        """What all that people can mend is raised as."""
        kind: type[Exception] = self.module("runtime.errors").ProjectError
        return kind

    def dataset(self, data_dir: Path, split: str = "train", **options: Any) -> Any:
        return self.module("data").make_dataset(data_dir, split, **options)


@pytest.fixture(scope="module")
def forms(
    thin_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Form]]:
    """A project for each form."""
    require_runnable(DEFAULT, HERE)
    patch = pytest.MonkeyPatch()
    rendered = {}
    for form in FORMS:
        answers = {**DEFAULT, "dataset": form, "package_name": f"with_{form}"}
        rendered[form] = Form(render(thin_template, tmp_path_factory.mktemp(form) / "p", answers))
        patch.syspath_prepend(rendered[form].project.folder / "src")
    yield rendered
    patch.undo()


@pytest.fixture
def hdf5(forms: dict[str, Form]) -> Form:
    return forms["hdf5"]


@pytest.fixture
def tabular(forms: dict[str, Form]) -> Form:
    return forms["tabular"]


@pytest.fixture
def stream(forms: dict[str, Form]) -> Form:
    return forms["stream"]


@pytest.fixture(autouse=True)
def no_cache_of_this_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache-of-user"))


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


# ----- Any form --------------------------------------------------------------------------


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


def test_an_order_that_loses_samples_is_refused(hdf5: Form) -> None:
    keys = hdf5.module("runtime.batches").batch_keys
    for wrong in ([0, 1, 1], [0, 1], [1, 2, 3]):
        with pytest.raises(hdf5.error, match="each number from 0 to 2 once"):
            list(
                keys(
                    3, 2, seed=0, epoch=0, shuffle=True, epoch_order=lambda _, o=wrong: np.array(o)
                )
            )


# ----- HDF5 ------------------------------------------------------------------------------


def digits_file(form: Form, folder: Path) -> Path:
    """A copy of the training file."""
    (folder / "digits").mkdir(exist_ok=True)
    (source,) = form.project.folder.glob("data/digits/train.*")
    target = folder / "digits" / source.name
    target.write_bytes(source.read_bytes())
    return target


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


def lose_the_end(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20_000])


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


# ----- Tables ----------------------------------------------------------------------------


def table_of(path: Path) -> pyarrow.Table:
    return parquet.read_table(path)


def change(path: Path, **columns: Any) -> None:
    """Put other columns into a table; None takes one out."""
    table = table_of(path)
    for name, values in columns.items():
        place = table.schema.get_field_index(name)
        table = table.remove_column(place)
        if values is not None:
            table = table.add_column(place, name, pyarrow.array(values))
    parquet.write_table(table, path)


def as_csv(path: Path) -> Path:
    """Turn a table into a CSV file."""
    table = table_of(path)
    path.unlink()
    path = path.with_suffix(".csv")
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.column_names)
        writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return path


def keep_lines(path: Path, count: int) -> None:
    path.write_text("\n".join(path.read_text().splitlines()[:count]) + "\n")


def test_csv_gives_the_same_as_parquet(tabular: Form, tmp_path: Path) -> None:
    path = digits_file(tabular, tmp_path)
    expected = np.array(tabular.dataset(tmp_path).rows)
    as_csv(path)
    found = tabular.dataset(tmp_path).rows
    assert len(found) == 1260 and np.array_equal(found, expected)
    assert expected["features"].max() == 16


def test_rows_are_made_again_only_where_the_table_or_its_columns_changed(
    tabular: Form, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = digits_file(tabular, tmp_path)
    tabular.dataset(tmp_path)
    table = tabular.module("runtime.table")
    written: list[Path] = []
    write_rows = table.write_rows

    def noted(path: Path, *more: Any) -> None:
        written.append(path)
        write_rows(path, *more)

    monkeypatch.setattr(table, "write_rows", noted)
    assert len(tabular.dataset(tmp_path)) == 1260
    assert written == []
    parquet.write_table(table_of(path).slice(5), path)
    assert len(tabular.dataset(tmp_path)) == 1255
    monkeypatch.setattr(tabular.module("data"), "LABEL", "pixel_0")
    tabular.dataset(tmp_path)
    assert len(written) == 2
    assert not list(path.parent.glob(".cache/*.tmp"))


def test_several_that_make_rows_at_once_do_not_harm_each_other(
    tabular: Form, tmp_path: Path
) -> None:
    path = digits_file(tabular, tmp_path)
    expected = np.array(tabular.dataset(tmp_path).rows)
    (made,) = path.parent.glob(".cache/*")
    made.unlink()
    with ThreadPoolExecutor(4) as threads:
        found = [
            f.result().rows for f in [threads.submit(tabular.dataset, tmp_path) for _ in range(8)]
        ]
    assert all(np.array_equal(rows, expected) for rows in found)
    assert len(list(path.parent.glob(".cache/*"))) == 1


def test_rows_go_to_the_users_folder_where_the_data_cannot_be_written(
    tabular: Form, tmp_path: Path
) -> None:
    path = digits_file(tabular, tmp_path)
    (path.parent / ".cache").write_text("a file in its place, which stops root too")
    dataset = tabular.dataset(tmp_path)
    assert dataset.rows_path.is_relative_to(tmp_path / "cache-of-user")
    (tmp_path / "cache-of-user").rename(tmp_path / "moved")
    (tmp_path / "cache-of-user").write_text("another one")
    with pytest.raises(tabular.error, match="cannot be written .* or set XDG_CACHE_HOME"):
        tabular.dataset(tmp_path)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (Path.unlink, "holds nothing for 'train': expected one file, train.parquet or train.csv"),
        (
            lambda path: path.with_suffix(".csv").touch(),
            "holds .*train.parquet and .*train.csv for 'train': expected one",
        ),
        (lose_the_end, "it is damaged, or still being written. Wait until"),
        (lambda path: path.write_bytes(b""), "it is damaged, or still being written"),
        (
            lambda path: change(path, pixel_9=None),
            "has 0 columns 'pixel_9': expected one. Its columns are: pixel_0, .*, ...",
        ),
        (
            lambda path: change(path, pixel_9=["dark"] * 1260),
            "Column 'pixel_9' of .* holds string: expected numbers",
        ),
        (
            lambda path: change(path, label=np.ones(1260)),
            "Column 'label' of .* holds double: expected whole numbers",
        ),
        (
            lambda path: change(path, pixel_9=[1] * 700 + [None] + [1] * 559),
            "Column 'pixel_9' of .* has no value in row 700",
        ),
        (
            lambda path: change(path, pixel_9=pyarrow.nulls(1260)),
            "Column 'pixel_9' of .* has no value in row 0",
        ),
        (lambda path: parquet.write_table(table_of(path).slice(0, 0), path), "has no rows"),
        (
            lambda path: lose_the_end(as_csv(path)),
            r"cannot be read \(.*Expected 65 columns.*still being written",
        ),
        (
            lambda path: as_csv(path).write_text("pixel_0,label\n0,1\n"),
            "has 0 columns 'pixel_1': expected one. Its columns are: pixel_0, label",
        ),
        (lambda path: keep_lines(as_csv(path), 1), "has no rows: expected one for each sample"),
    ],
)
def test_what_is_wrong_with_a_table_is_named(
    spoil: Callable[[Path], Any], words: str, tabular: Form, tmp_path: Path
) -> None:
    spoil(digits_file(tabular, tmp_path))
    with pytest.raises(tabular.error, match=words):
        tabular.dataset(tmp_path)
    assert not list(tmp_path.glob("digits/.cache/*"))


def test_a_label_that_the_model_does_not_have_is_named(tabular: Form, tmp_path: Path) -> None:
    for label in (-1, 10):
        change(digits_file(tabular, tmp_path), label=[0] * 1259 + [label])
        with pytest.raises(tabular.error, match=f"label {label} in row 1259, .* from 0 to 9"):
            tabular.dataset(tmp_path)


def test_a_table_that_grows_while_it_is_read_is_named(
    tabular: Form, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = as_csv(digits_file(tabular, tmp_path))
    table = tabular.module("runtime.table")
    numbers = table.numbers

    def numbers_while_written(*given: Any) -> Any:
        with path.open("a") as file:
            file.write("0," * 64 + "0\n")
        return numbers(*given)

    monkeypatch.setattr(table, "numbers", numbers_while_written)
    with pytest.raises(tabular.error, match="was changed while it was read: wait until"):
        tabular.dataset(tmp_path)


def test_rows_that_were_cut_short_are_named(tabular: Form, tmp_path: Path) -> None:
    path = digits_file(tabular, tmp_path)
    tabular.dataset(tmp_path)
    (made,) = path.parent.glob(".cache/*")
    lose_the_end(made)
    with pytest.raises(tabular.error, match="delete it and begin anew"):
        tabular.dataset(tmp_path)


# ----- Shards ----------------------------------------------------------------------------


def group(form: Form, names: str) -> list[tuple[str, list[str]]]:
    shards = form.module("runtime.tar")
    files = [shards.Member(name, 0, 0) for name in names.split()]
    return [(key, list(parts)) for key, parts in shards.group(files)]


def test_files_are_put_together_by_their_keys(stream: Form) -> None:
    assert group(stream, "") == []
    assert group(stream, "1.png 1.cls 2.cls 2.png") == [
        ("1", ["png", "cls"]),
        ("2", ["cls", "png"]),
    ]
    assert group(stream, "a/1.png a/1.seg.png b/1.png v1.0/2.png README") == [
        ("a/1", ["png", "seg.png"]),
        ("b/1", ["png"]),
        ("v1.0/2", ["png"]),
        ("README", [""]),
    ]
    with pytest.raises(ValueError, match=r"'1\.png' twice"):
        group(stream, "1.png 1.cls 1.png")


def shard(folder: Path, parts: Sequence[tuple[str, bytes]], *, mode: str = "w") -> Path:
    """Write a shard of given files."""
    (folder / "digits").mkdir(exist_ok=True)
    path = folder / "digits" / "train-000.tar"
    write_mode: Any = mode
    with tarfile.open(path, write_mode) as tar:
        for name, content in parts:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def good_parts(form: Form, count: int = 3) -> list[tuple[str, bytes]]:
    """Some samples of the training set."""
    with tarfile.open(form.project.folder / "data" / "digits" / "train-000.tar") as tar:
        files = [(member.name, tar.extractfile(member)) for member in tar.getmembers()[: 2 * count]]
        return [(name, file.read()) for name, file in files if file]


def cut(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


def spoil_header(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[1024 + 10] ^= 255  # of the second file: tarfile itself would stop there without a word
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (Path.unlink, "holds no shards of 'train': expected train-000.tar and so on"),
        (lambda path: cut(path, 5_000), "is damaged, still being written, compressed as a whole"),
        # Between two files, as of a program that is still writing.
        (lambda path: cut(path, 4_096), "at byte 4096 there is neither a file nor the end of"),
        (spoil_header, "at byte 1024 there is neither a file nor the end of a tar file"),
        (lambda path: path.write_bytes(b""), "is damaged, still being written, compressed"),
        (lambda path: path.write_text("no tar file" * 100), "or no tar file"),
    ],
)
def test_a_damaged_shard_is_named(
    spoil: Callable[[Path], Any], words: str, stream: Form, tmp_path: Path
) -> None:
    spoil(shard(tmp_path, good_parts(stream)))
    with pytest.raises(stream.error, match=words):
        stream.dataset(tmp_path)


@pytest.mark.parametrize(
    ("change_parts", "words"),
    [
        (lambda parts: parts[:3], "its sample '000001' has the parts png: expected png, cls"),
        (lambda parts: [parts[1]], "its sample '000000' has the parts cls: expected png, cls"),
        (lambda parts: [*parts, parts[5]], "it holds '000002.cls' twice"),
        (lambda parts: [parts[0], (parts[1][0], b"seven")], "is b'seven': expected a number"),
        (lambda parts: [], "it holds no samples"),
    ],
)
def test_a_shard_with_wrong_samples_is_named(
    change_parts: Callable[[Any], Any], words: str, stream: Form, tmp_path: Path
) -> None:
    shard(tmp_path, change_parts(good_parts(stream)))
    with pytest.raises(stream.error, match=f"train-000.tar cannot be used: .*{words}"):
        stream.dataset(tmp_path)


def test_a_shard_that_is_compressed_as_a_whole_is_named(stream: Form, tmp_path: Path) -> None:
    shard(tmp_path, good_parts(stream), mode="w:gz")
    with pytest.raises(stream.error, match="compressed as a whole"):
        stream.dataset(tmp_path)


def test_a_bad_image_or_label_is_named_with_its_place(stream: Form, tmp_path: Path) -> None:
    parts = good_parts(stream)
    parts[2], parts[5] = (parts[2][0], b"no image"), (parts[5][0], b"10\n")
    path = shard(tmp_path, parts)
    dataset = stream.dataset(tmp_path)
    assert dataset[0][0].shape == (1, 8, 8)
    with pytest.raises(stream.error, match=f"sample 1, at byte 2560 of {path}, is damaged"):
        dataset[1]
    with pytest.raises(stream.error, match="label of sample 2, .* is 10: expected numbers below"):
        dataset[2]
    cut(path, 1_000)
    with pytest.raises(stream.error, match="came 0: it was cut short since the run began"):
        pickle.loads(pickle.dumps(dataset)).read(2)


class Server(ThreadingHTTPServer):
    """Serves a folder, and remembers what it was asked for."""

    def __init__(self, folder: Path, *, ranges: bool = True) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.ranges = folder, ranges
        self.asked: list[tuple[str, str]] = []
        self.failures = 0
        """How many requests for content it will refuse from now on."""


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.wfile.write(self.answer())

    def answer(self) -> bytes:
        """Send the headers; returns what follows them."""
        path = self.server.folder / self.path.strip("/")
        asked = self.headers.get("Range", "")
        self.server.asked.append((self.command, asked))
        if not path.is_file():
            self.send_error(404)
            return b""
        if self.command == "GET" and self.server.failures:
            self.server.failures -= 1
            self.send_error(503)
            return b""
        content = path.read_bytes()
        self.send_response(206 if asked and self.server.ranges else 200)
        if self.server.ranges:
            self.send_header("Accept-Ranges", "bytes")
            if asked:
                start, end = asked.removeprefix("bytes=").split("-")
                whole = len(content)
                content = content[int(start) : int(end or whole) + 1]
                self.send_header("Content-Range", f"bytes {start}-{end or whole}/{whole}")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return content

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture
def serve(stream: Form, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    """Starts servers of the project's own shards."""
    monkeypatch.setattr(stream.module("runtime.shards"), "PAUSE_S", 0)
    servers: list[Server] = []

    def start(**options: Any) -> Server:
        servers.append(Server(stream.project.folder / "data" / "digits", **options))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return servers[-1]

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def addresses(server: Server) -> list[str]:
    return [f"http://127.0.0.1:{server.server_port}/train-{number:03}.tar" for number in range(4)]


def test_shards_on_a_server_give_the_same_as_local_ones(
    stream: Form, serve: Callable[..., Server]
) -> None:
    server = serve()
    local = stream.dataset(stream.project.folder / "data")
    remote = stream.module("data").ShardedImages(addresses(server))
    assert len(remote) == len(local) == 400
    for index in range(0, 400, 40):
        assert remote[index][0].equal(local[index][0]) and remote[index][1] == local[index][1]

    # The index is kept, in the user's folder; a sample is one request for its bytes alone.
    server.asked.clear()
    again = stream.module("data").ShardedImages(addresses(server))
    assert not [asked for asked in server.asked if asked[0] == "GET"]
    server.asked.clear()
    content, _, _ = again.read(399)
    ((method, asked),) = server.asked
    start, end = map(int, asked.removeprefix("bytes=").split("-"))
    assert (method, end - start + 1) == ("GET", len(content))


def test_a_server_is_asked_again_but_not_for_ever(
    stream: Form, serve: Callable[..., Server]
) -> None:
    server = serve()
    dataset = stream.module("data").ShardedImages(addresses(server))
    server.failures = 3
    assert dataset[5][0].shape == (1, 8, 8)
    server.failures = 4
    with pytest.raises(stream.error, match=r"train-000\.tar cannot be used: .*503"):
        dataset.read(5)


def test_a_server_that_cannot_be_used_is_named(
    stream: Form, serve: Callable[..., Server], tmp_path: Path
) -> None:
    images = stream.module("data").ShardedImages
    with pytest.raises(stream.error, match="nothing.tar is not there, or cannot be reached"):
        images([addresses(serve())[0].replace("train-000", "nothing")])
    with pytest.raises(stream.error, match="is not there, or cannot be reached"):
        images(["http://127.0.0.1:9/train-000.tar"])
    with pytest.raises(stream.error, match="needs another package: Install s3fs"):
        images(["s3://bucket/train-000.tar"])
    with pytest.raises(stream.error, match="Protocol not known: nope"):
        images(["nope://train-000.tar"])
    with pytest.raises(stream.error, match=r"train-000\.tar cannot be"):
        images(addresses(serve(ranges=False)))[3]


def test_an_index_is_made_again_when_its_shard_has_changed(stream: Form) -> None:
    files = fsspec.filesystem("memory")
    source = stream.project.folder / "data" / "digits"
    for number in (0, 1):
        files.pipe_file("/train.tar", (source / f"train-00{number}.tar").read_bytes())
        dataset = stream.module("data").ShardedImages(["memory://train.tar"])
        expected = stream.module("data").ShardedImages(
            [(source / f"train-00{number}.tar").as_posix()]
        )
        assert [dataset[i][1] for i in range(100)] == [expected[i][1] for i in range(100)]
    files.rm("/train.tar")
