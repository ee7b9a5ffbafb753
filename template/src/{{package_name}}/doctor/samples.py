"""Looks at the data sets in one process: do they pickle, and what does a sample cost?"""

from __future__ import annotations

import inspect
import linecache
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from ..data import make_dataset
from ..runtime.batches import MapDataset
from ..runtime.preflight import weigh

SPLITS = ("train", "validation", "test")
COUNT = 5
"""Samples that are loaded, from the first to the last."""


def weigh_datasets(data_dir: Path) -> list[dict[str, Any]]:
    """Pickle each data set as for a worker, before and after a sample was read.

    Returns:
        For each: its name, length, sizes in bytes, and what keeps it from travelling, if anything.
    """
    found = []
    for split in SPLITS:
        dataset = make_dataset(data_dir, split, augment=split == "train")
        name = f"{split}_set"
        parcel = weigh({name: dataset})
        if not parcel.obstacle and len(dataset):
            _ = dataset[0]  # which may leave an open file on it
            parcel = weigh({name: dataset})
        found.append({"split": split, "length": len(dataset), **parcel._asdict()})
    return found


def time_samples(data_dir: Path) -> dict[str, Any]:
    """Load a few samples of the training set, and find the line that takes longest.

    Returns:
        "seconds" and "cpu_seconds" of each sample; "line", "text" and "share" of the slowest line.
    """
    dataset: Any = make_dataset(data_dir, "train", augment=True)
    indices = spread(len(dataset), COUNT)
    seconds, cpu_seconds = [], []
    for index in indices:
        print(f"loading sample {index} of the training set", flush=True)
        begin_s, begin_cpu_s = time.perf_counter(), time.thread_time()
        _ = dataset[index]
        seconds.append(time.perf_counter() - begin_s)
        cpu_seconds.append(time.thread_time() - begin_cpu_s)
    slowest = slowest_line(lambda: [dataset[index] for index in indices], source_of(dataset))
    return {"seconds": seconds, "cpu_seconds": cpu_seconds, "slowest": slowest._asdict()}


def spread(length: int, count: int) -> list[int]:
    """Some indices, from the first to the last."""
    count = min(length, count)
    return [number * (length - 1) // max(1, count - 1) for number in range(count)]


def source_of(dataset: MapDataset) -> str:
    """The file in which a data set is defined."""
    return str(inspect.getsourcefile(type(dataset)))


class Slowest(NamedTuple):
    """The line in which most time was spent, what it calls in other files included."""

    line: str
    """Its file and number."""
    text: str
    share: float
    """Of all time in that file, from 0 to 1."""


def slowest_line(function: Callable[[], Any], file: str) -> Slowest:
    """Call a function, and find out in which line of a file most time goes by."""
    spent_s: dict[int, float] = defaultdict(float)
    current, since_s = 0, time.perf_counter()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal current, since_s
        if frame.f_code.co_filename != file:
            return None  # its time counts for the line that called it
        now_s = time.perf_counter()
        spent_s[current] += now_s - since_s
        caller = frame.f_back
        since_s, current = now_s, frame.f_lineno
        if event == "return":
            inside = caller is not None and caller.f_code.co_filename == file
            current = caller.f_lineno if caller and inside else 0
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    spent_s.pop(0, None)  # outside of the file
    if not spent_s:
        return Slowest(file, "", 0.0)
    number = max(spent_s, key=lambda line: spent_s[line])
    share = spent_s[number] / sum(spent_s.values())
    return Slowest(f"{Path(file).name}:{number}", linecache.getline(file, number).strip(), share)
