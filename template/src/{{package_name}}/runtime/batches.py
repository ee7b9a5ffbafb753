"""The one idea: a batch is a pure function of the data set, the seed, the epoch and its number.

Which samples are in a batch, and every random draw made while it is loaded, depend on nothing
else: not on the number of workers, how they start, how many ranks share the work, or what
happened before. So any process may load any batch at any time, once or twice, and training can
stop anywhere and go on with the next batch.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch.utils.data import get_worker_info

from .errors import ProjectError


class MapDataset(Protocol):
    """What torch calls a map-style data set."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Any: ...


class BatchKey(NamedTuple):
    """Names one batch. It travels to the worker that loads it."""

    epoch: int
    number: int
    """Position in the epoch, counted over all ranks."""
    indices: list[int]
    """The samples, in order."""


def count_batches(length: int, batch_size: int, *, rank: int = 0, world_size: int = 1) -> int:
    """How many of an epoch's batches belong to a rank."""
    all_batches = -(-length // batch_size)
    return len(range(rank, all_batches, world_size))


def batch_keys(
    length: int,
    batch_size: int,
    *,
    seed: int,
    epoch: int,
    shuffle: bool,
    first: int = 0,
    rank: int = 0,
    world_size: int = 1,
) -> Iterator[BatchKey]:
    """Yield the keys of a rank's batches, in order.

    The epoch's order is cut into batches first, and rank r takes numbers r, r + world_size, and so
    on: the batches of an epoch are the same for any number of ranks, each sample in exactly one.

    Args:
        length: samples in the data set.
        batch_size: samples in a batch; the last batch may have fewer.
        first: how many of this rank's batches to skip, to resume inside an epoch.
    """
    order = np.arange(length)
    if shuffle:
        # The spawn key keeps this stream apart from those of the batches.
        sequence = np.random.SeedSequence([seed, epoch], spawn_key=(0,))
        order = np.random.default_rng(sequence).permutation(length)
    all_batches = -(-length // batch_size)
    for number in list(range(rank, all_batches, world_size))[first:]:
        indices = order[number * batch_size : (number + 1) * batch_size]
        yield BatchKey(epoch, number, indices.tolist())


def seed_generators(seed: int, epoch: int, number: int) -> None:
    """Seed `random`, numpy's global generator and torch's CPU generator for one batch."""
    # SeedSequence is numpy's way to turn a few small numbers into independent streams.
    words = np.random.SeedSequence([seed, epoch, number], spawn_key=(1,)).generate_state(6)
    random.seed(int(words[0]) << 32 | int(words[1]))
    np.random.seed(words[2:4])
    # torch.manual_seed would reach for accelerators too, which loading must never touch.
    torch.default_generator.manual_seed(int(words[4]) << 32 | int(words[5]))


@contextmanager
def random_state_kept() -> Iterator[None]:
    """Put the three generators back as they were, so that loading here leaves no trace."""
    python_state, numpy_state = random.getstate(), np.random.get_state()
    torch_state = torch.default_generator.get_state()
    try:
        yield
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)
        torch.default_generator.set_state(torch_state)


class Failed(NamedTuple):
    """Takes the place of a batch that a worker could not load, for a reason that people can mend."""

    message: str


class SeededBatches(torch.utils.data.Dataset[Any]):
    """Turns a data set of samples into one of batches: the pure function itself.

    The epoch comes with the key, so that a worker which lives for many epochs is never stale.
    """

    def __init__(self, dataset: MapDataset, seed: int, collate: Callable[[list[Any]], Any]) -> None:
        self.dataset = dataset
        self.seed = seed
        self.collate = collate

    def __getitem__(self, key: BatchKey) -> Any:
        in_worker = get_worker_info() is not None
        with nullcontext() if in_worker else random_state_kept():
            seed_generators(self.seed, key.epoch, key.number)
            try:
                return self.collate([self.dataset[index] for index in key.indices])
            except ProjectError as error:
                if in_worker:  # else torch would put the worker's whole traceback into the message
                    return Failed(str(error))
                raise
