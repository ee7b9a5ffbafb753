"""The jobs whose total time is measured: what a sample, a batch and a step cost, and how many."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import Dataset

from .rendered import part

NOISE = bytes(1 << 16)


@dataclass(frozen=True)
class Workload:
    """A job. What is in milliseconds is made up; what has a form of data is real."""

    name: str
    batches: int = 0
    batch_size: int = 32
    epochs: int = 1
    compute_ms: float = 0.0
    """Computing in Python, for one sample."""
    native_ms: float = 0.0
    """Computing in C without the interpreter's lock, for one sample."""
    wait_ms: float = 0.0
    step_ms: float = 0.0
    """Computing of the step on the CPU; without the interpreter's lock, as torch does it."""
    device_ms: float = 0.0
    """Time in which the step waits for a device."""
    numbers: int = 64
    """float32 in a sample."""
    split: bool = True
    """Whether the data set has read and prepare."""
    form: str = ""
    """The answer to `dataset` whose project loads and trains; "jpeg" for large pictures."""

    @property
    def variant(self) -> str:
        """The project that it needs."""
        return self.form if self.form not in ("", "jpeg") else "arrays"


WORKLOADS = [
    # To make the loader takes some 10 ms, and no worker: what is over in less than 0.1 s is no job.
    Workload("tiny", 2500, 64),
    Workload("20 us, light step", 600, 64, compute_ms=0.02, step_ms=0.5),
    Workload("0.2 ms", 400, compute_ms=0.2),
    Workload("1 ms", 200, compute_ms=1, step_ms=2),
    Workload("1 ms, in C", 200, native_ms=1, step_ms=2),
    Workload("5 ms, short", 20, 16, compute_ms=5),
    Workload("5 ms, long", 120, 16, compute_ms=5, step_ms=5),
    Workload("wait 3 ms, light step", 60, wait_ms=3, step_ms=2),
    Workload("mixed: wait 3 ms, 0.5 ms", 80, wait_ms=3, compute_ms=0.5),
    Workload("heavy step", 120, compute_ms=0.3, step_ms=20),
    Workload("device step", 120, compute_ms=0.5, device_ms=20),
    Workload("large samples", 80, 16, compute_ms=0.3, step_ms=3, numbers=3 * 224 * 224),
    Workload("wait 3 ms, only __getitem__", 60, wait_ms=3, split=False),
    Workload("digits as PNG", epochs=2, form="images"),
    Workload("digits in HDF5", epochs=2, form="hdf5"),
    Workload("digits in Parquet", epochs=2, form="tabular"),
    Workload("JPEG 640 x 480", epochs=2, batch_size=16, device_ms=15, form="jpeg"),
]
GROWN = 4
"""How much more data there is than the project brings, for the digits."""
PICTURES = 320
"""How many JPEG files there are."""


def compute(milliseconds: float) -> None:
    """Use that much processor time, in Python."""
    end_s = time.thread_time() + milliseconds / 1e3
    while time.thread_time() < end_s:
        pass


def compute_in_c(milliseconds: float) -> None:
    """Use that much processor time, nearly all of it without the interpreter's lock."""
    end_s = time.thread_time() + milliseconds / 1e3
    while time.thread_time() < end_s:
        hashlib.blake2b(NOISE)


class Samples(Dataset[torch.Tensor]):
    """Samples that take what the workload says."""

    def __init__(self, workload: Workload, batches: int) -> None:
        self.workload, self.length = workload, batches * workload.batch_size

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.make(self.fetch(index))

    def fetch(self, index: int) -> int:
        if self.workload.wait_ms:
            time.sleep(self.workload.wait_ms / 1e3)
        return index

    def make(self, raw: int) -> torch.Tensor:
        if self.workload.compute_ms:
            compute(self.workload.compute_ms)
        if self.workload.native_ms:
            compute_in_c(self.workload.native_ms)
        return torch.full((self.workload.numbers,), float(raw))


class SplitSamples(Samples):
    """The same, with reading and preparing told apart."""

    def read(self, index: int) -> int:
        return self.fetch(index)

    def prepare(self, raw: int) -> torch.Tensor:
        return self.make(raw)


def make_dataset(workload: Workload, data: str | None, batches: int) -> Any:
    """The data set of a workload.

    Args:
        data: the folder with its data, where it is real.
        batches: in an epoch, where it is made up.
    """
    if workload.form == "jpeg":
        from .pictures import Pictures  # whose workers import more than others need

        return Pictures(Path(str(data)))
    if workload.form:
        return part("data").make_dataset(Path(str(data)), "train", augment=True)
    return SplitSamples(workload, batches) if workload.split else Samples(workload, batches)


def make_training(workload: Workload) -> Callable[[Iterable[Any]], int]:
    """What is done with the batches of an epoch; returns the number of samples."""
    if workload.variant != workload.form:
        return partial(consume, workload)
    train = part("train")
    device, model = torch.device("cpu"), part("model").DigitNet(part("data").CLASSES)
    optimizer = torch.optim.AdamW(model.parameters())
    # Its first step imports and allocates much.
    train.train_one_epoch(
        model, [(torch.zeros(2, 1, 8, 8), torch.tensor([0, 1]))], optimizer, device
    )

    def train_epoch(batches: Iterable[Any]) -> int:
        counted = Counted(batches)
        train.train_one_epoch(model, counted, optimizer, device)
        return counted.samples

    return train_epoch


class Counted:
    """Batches of images and labels, and how many samples were in them."""

    def __init__(self, batches: Iterable[Any]) -> None:
        self.batches, self.samples = batches, 0

    def __iter__(self) -> Iterator[Any]:
        for batch in self.batches:
            yield batch
            self.samples += len(batch[1])


def consume(workload: Workload, batches: Iterable[Any]) -> int:
    """Train, as far as the loader can tell."""
    samples = 0
    for batch in batches:
        samples += len(batch)
        if workload.step_ms:
            compute_in_c(workload.step_ms)
        if workload.device_ms:
            time.sleep(workload.device_ms / 1e3)
    return samples
