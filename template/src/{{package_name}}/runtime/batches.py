"""The one idea: a batch is a pure function of the data set, the seed, the epoch and its number.

Which samples are in a batch, and every random draw made while it is loaded, depend on nothing
else: not on the number of workers, how they start, how many ranks share the work, or what
happened before. So any process may load any batch at any time, once or twice, and training can
stop anywhere and go on with the next batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from .errors import ProjectError

EpochOrder = Callable[[np.random.Generator], np.ndarray]
"""Draws an order of all samples. A data set that has such a method, `epoch_order`, decides with it
which samples come close together: those that are cheap to read together, for example."""


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


class Step(NamedTuple):
    """What all ranks do together: each trains on one batch."""

    batches: int
    """How many different ones."""
    samples: int
    """In all of them."""
    own_samples: int
    """In that of this rank; 0 if none was left for it, and it repeats one that does not count."""


def count_steps(length: int, batch_size: int, *, first: int = 0, world_size: int = 1) -> int:
    """How many steps the ranks need for the batches from the first on."""
    return len(range(first, -(-length // batch_size), world_size))


def epoch_steps(
    length: int, batch_size: int, *, first: int = 0, rank: int = 0, world_size: int = 1
) -> Iterator[Step]:
    """Yield what the ranks do in each step, as a rank sees it; see `batch_keys`."""
    all_batches = -(-length // batch_size)
    for start in range(first, all_batches, world_size):
        numbers = range(start, min(start + world_size, all_batches))
        sizes = [min(batch_size, length - number * batch_size) for number in numbers]
        yield Step(len(sizes), sum(sizes), sizes[rank] if rank < len(sizes) else 0)


def batch_keys(
    length: int,
    batch_size: int,
    *,
    seed: int,
    epoch: int,
    shuffle: bool,
    epoch_order: EpochOrder | None = None,
    first: int = 0,
    rank: int = 0,
    world_size: int = 1,
    even: bool = False,
) -> Iterator[BatchKey]:
    """Yield the keys of a rank's batches, in order.

    The epoch's order is cut into batches first, and rank r takes numbers r, r + world_size, and so
    on: the batches of an epoch are the same for any number of ranks, each sample in exactly one.

    Args:
        length: samples in the data set.
        batch_size: samples in a batch; the last batch may have fewer.
        epoch_order: draws the order of a shuffled epoch; by default all orders are equally likely.
        first: how many batches to skip, counted over all ranks, to resume inside an epoch.
        even: whether a rank for which no batch is left in the last step repeats that of rank 0.

    Raises:
        ProjectError: `epoch_order` leaves a sample out, or has one twice.
    """
    order = np.arange(length)
    if shuffle:
        # The spawn key keeps this stream apart from those of the batches.
        sequence = np.random.SeedSequence([seed, epoch], spawn_key=(0,))
        order = draw_order(length, np.random.default_rng(sequence), epoch_order)
    all_batches = -(-length // batch_size)
    for start in range(first, all_batches, world_size):
        number = start + rank
        if number >= all_batches:
            if not even:
                return
            number = start
        indices = order[number * batch_size : (number + 1) * batch_size]
        yield BatchKey(epoch, number, indices.tolist())


def draw_order(
    length: int, generator: np.random.Generator, epoch_order: EpochOrder | None
) -> np.ndarray:
    """The samples of a shuffled epoch, each once."""
    if epoch_order is None:
        return generator.permutation(length)
    order = epoch_order(generator)
    if not np.array_equal(np.sort(order), np.arange(length)):
        raise ProjectError(
            f"epoch_order of the data set does not return each number from 0 to {length - 1} once. "
            "Shuffle the numbers, and add or drop none."
        )
    return order
