"""Loads a piece of an epoch with worker processes, as a run does, or with something switched off."""

from __future__ import annotations

import time
from itertools import islice
from pathlib import Path
from typing import Any

from ..data import make_dataset
from ..runtime.adapt import Setup
from ..runtime.errors import ProjectError
from ..runtime.loader import BatchLoader
from ..runtime.pool import TRIES
from ..runtime.reader import can_read_ahead
from .stall import STALL

BATCH_SIZE = 8
THREADS = 4
"""Reading threads, where the data set allows any: a run may use them too."""


class Raw:
    """What the data set reads, without what it does with it: no transforms.

    Args:
        dataset: one with `read`.
    """

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: int) -> Any:
        return self.dataset.read(index)


def as_list(samples: list[Any]) -> list[Any]:
    """Collates nothing."""
    return samples


def load_piece(
    data_dir: Path,
    *,
    workers: int,
    patience_s: float,
    batches: int,
    device: str = "cpu",
    threads: bool = True,
    persistence: bool = True,
    transforms: bool = True,
) -> dict[str, Any]:
    """Load the first batches of the training set.

    Args:
        workers: processes that load; 0 loads in this one.
        patience_s: how long a batch may take.
        persistence: keep the workers; otherwise each few batches get new ones.

    Returns:
        "samples", "seconds", and "error" if it failed.
    """
    dataset: Any = make_dataset(data_dir, "train", augment=True)
    is_raw = not transforms and hasattr(dataset, "read")

    def tell(line: str) -> None:
        if STALL.search(line):  # a run would go on: another worker tries again
            raise ProjectError(line)

    options: dict[str, Any] = {"collate": as_list} if is_raw else {}
    samples, error, started_s = 0, None, time.perf_counter()
    step = batches if persistence else max(1, batches // 4)
    try:
        for first in range(0, batches, step):
            with BatchLoader(
                {"train": Raw(dataset) if is_raw else dataset},
                BATCH_SIZE,
                device=device,
                num_workers=workers,
                timeout_s=TRIES * patience_s,
                tell=tell,
                **options,
            ) as loader:
                if threads and not is_raw and can_read_ahead(dataset):
                    loader.hold(Setup(THREADS, workers))
                else:
                    loader.hold(Setup(0, workers))
                for batch in islice(loader.epoch("train", 0, first=first, shuffle=True), step):
                    samples += len(batch[0])
    except ProjectError as failure:
        error = str(failure)
    seconds = time.perf_counter() - started_s
    return {"samples": samples, "seconds": seconds, "error": error}
