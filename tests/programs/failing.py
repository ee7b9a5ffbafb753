"""Fails in one of the ways that people meet: with torch's own loader, over a project's data set.

python failing.py PACKAGE CASE,CASE... Unlike everything else here, it is no good model: some cases stand at
its top level on purpose, where worker processes run them again.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import runpy
import signal
import sys
import threading
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

PACKAGE, CASE = sys.argv[1:3]


def data() -> Any:
    """The project's training set."""
    folder = importlib.import_module(f"{PACKAGE}.config").project_folder() / "data"
    return importlib.import_module(f"{PACKAGE}.data").make_dataset(folder, "train")


def load(dataset: Any = None, *, method: str | None = "spawn", **options: Any) -> None:
    """Take a batch."""
    options = {"num_workers": 1, "multiprocessing_context": method, **options}
    next(iter(DataLoader(data() if dataset is None else dataset, **options)))


class Wrapped(Dataset[Any]):
    """The project's data set, with something more on it."""

    def __init__(self, extra: Any = None) -> None:
        self.samples, self.extra = data(), extra

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> Any:
        return self.samples[index]


class Killed(Wrapped):
    def __getitem__(self, index: int) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


class Slow(Wrapped):
    def __getitem__(self, index: int) -> Any:
        time.sleep(1000)


class Failing(Wrapped):
    def __getitem__(self, index: int) -> Any:
        raise LookupError("a fault of the data set")


class Nested(Wrapped):
    def __getitem__(self, index: int) -> Any:
        return load(self.samples, method="fork")


class UsesGlobal(Wrapped):
    def __getitem__(self, index: int) -> Any:
        return only_in_main  # type: ignore[name-defined]  # noqa: F821


class Twice(IterableDataset[int]):
    """A stream of which each worker delivers all."""

    def __len__(self) -> int:
        return 3

    def __iter__(self) -> Any:
        return iter(range(3))


def same(samples: Any) -> Any:
    return samples


def replaced(samples: Any) -> Any:
    return samples


def square(number: int) -> int:
    return number * number


original, replaced = replaced, same
replaced.__qualname__ = "replaced"

if CASE == "unguarded_loader":
    load()
if CASE == "unguarded_pool":
    multiprocessing.get_context("spawn").Pool(2).map(square, range(4))
if CASE == "unguarded_executor":
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        print(list(pool.map(square, range(4))))
if CASE == "method_at_top_level":
    multiprocessing.set_start_method("spawn")


if __name__ == "__main__":

    class BehindGuard(Wrapped):
        pass

    def lambda_collate() -> None:
        load(collate_fn=lambda samples: samples)

    def local_collate() -> None:
        def collate(samples: Any) -> Any:
            return samples

        load(collate_fn=collate)

    def local_class() -> None:
        class Local(Wrapped):
            pass

        load(Local())

    def rebound() -> None:
        load(collate_fn=original)

    def lock() -> None:
        load(Wrapped(threading.Lock()))

    def executor() -> None:
        from concurrent.futures import ThreadPoolExecutor

        load(Wrapped(ThreadPoolExecutor()))

    def open_file() -> None:
        load(Wrapped(open(__file__)))  # noqa: SIM115

    def database() -> None:
        import sqlite3

        load(Wrapped(sqlite3.connect(":memory:")))

    def generator() -> None:
        load(Wrapped(number for number in range(3)))

    def module() -> None:
        load(Wrapped(os))

    def behind_guard() -> None:
        load(BehindGuard())

    def method_at_top_level() -> None:
        load()

    def method_too_late() -> None:
        multiprocessing.Lock()
        multiprocessing.set_start_method("spawn")

    def lock_of_another_context() -> None:
        load(Wrapped(multiprocessing.get_context("fork").Lock()))

    def global_of_main() -> None:
        globals()["only_in_main"] = 1
        load(UsesGlobal())

    def from_stdin() -> None:
        load()

    def in_a_daemon() -> None:
        load(Nested(), method="fork")

    def prefetch_without_workers() -> None:
        load(num_workers=0, multiprocessing_context=None, prefetch_factor=2)

    def persistent_without_workers() -> None:
        load(num_workers=0, multiprocessing_context=None, persistent_workers=True)

    def context_without_workers() -> None:
        load(num_workers=0)

    def timeout_without_workers() -> None:
        load(num_workers=0, multiprocessing_context=None, timeout=5)

    def tiny_shared_memory() -> None:
        load(batch_size=1400, collate_fn=None, prefetch_factor=8)

    def stalled() -> None:
        load(Slow(), method="fork", timeout=1)

    def killed() -> None:
        load(Killed(), method="fork")

    def failing() -> None:
        load(Failing(), method="fork")

    def unequal_samples() -> None:
        load([torch.zeros(2), torch.zeros(3)], batch_size=2, num_workers=0, method=None)

    def unequal_samples_in_worker() -> None:
        load([torch.zeros(2), torch.zeros(3)], batch_size=2)

    def samples_of_nothing() -> None:
        load([None, None], num_workers=0, method=None)

    def relative_import() -> None:
        package = importlib.util.find_spec(PACKAGE)
        assert package and package.origin
        runpy.run_path(str(Path(package.origin).with_name("train.py")), run_name="__main__")

    def too_many_workers() -> None:
        load(num_workers=4 * len(os.sched_getaffinity(0)), method="fork")

    def stream_twice() -> None:
        loader = DataLoader(Twice(), num_workers=2, multiprocessing_context="fork")
        print(len(loader), list(loader))

    def many_files() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))
        print([open(os.devnull) for _ in range(100)])  # noqa: SIM115

    def without_stdout() -> None:
        vars(sys)["stdout"] = None
        sys.stdout.write("hello")

    for case in CASE.split(","):
        print(f"CASE {case}", file=sys.stderr)
        try:
            globals().get(case, load)()
        except Exception:
            traceback.print_exc()
