"""The one idea: a batch is a pure function of the data set, the seed, the epoch and its number.

Which samples are in a batch, and every random draw made while it is loaded, depend on nothing
else: not on the number of workers, how they start, how many ranks share the work, or what
happened before. So any process may load any batch at any time, once or twice, and training can
stop anywhere and go on with the next batch.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch


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
    # A hash turns a few small numbers into independent seeds, several times faster than numpy's
    # SeedSequence would.
    digest = hashlib.blake2b(f"{seed} {epoch} {number}".encode(), digest_size=20).digest()
    random.seed(int.from_bytes(digest[:8], "little"))
    np.random.seed(int.from_bytes(digest[8:12], "little"))
    # torch.manual_seed would reach for accelerators too, which loading must never touch.
    torch.default_generator.manual_seed(int.from_bytes(digest[12:], "little"))


class LoadingGenerators:
    """Random generators for loading in the main process, so that training's own are left alone.

    To swap numpy's is many times faster than to save its state and to put it back.
    """

    def __init__(self) -> None:
        self._numpy = np.random.MT19937(0)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Put the three generators of training aside, and back as they were."""
        python_state, torch_state = random.getstate(), torch.default_generator.get_state()
        training = np.random.get_bit_generator()
        np.random.set_bit_generator(self._numpy)
        try:
            yield
        finally:
            np.random.set_bit_generator(training)
            random.setstate(python_state)
            torch.default_generator.set_state(torch_state)
