"""A batch is a pure function of the data set, the seed, the epoch and its number."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch

from conftest import Load

SIZES = [(1, 1), (5, 8), (8, 4), (9, 4), (100, 7), (97, 10), (3, 2)]
"""Lengths of data sets and sizes of batches, even and uneven."""


def keys(load: Load, length: int, batch_size: int, **options: Any) -> list[Any]:
    settings = {"seed": 0, "epoch": 0, "shuffle": True, **options}
    return list(load("runtime.batches").batch_keys(length, batch_size, **settings))


@pytest.mark.parametrize("world_size", [1, 2, 3, 8])
@pytest.mark.parametrize(("length", "batch_size"), SIZES)
def test_ranks_share_the_batches_of_one_process(
    length: int, batch_size: int, world_size: int, load: Load
) -> None:
    alone = keys(load, length, batch_size)
    shares = [
        keys(load, length, batch_size, rank=rank, world_size=world_size)
        for rank in range(world_size)
    ]
    # Each batch is in exactly one share, with the same samples whoever loads it.
    assert sorted(key for share in shares for key in share) == alone
    assert [key.number for key in alone] == list(range(-(-length // batch_size)))
    assert sorted(index for key in alone for index in key.indices) == list(range(length))
    assert {len(key.indices) for key in alone[:-1]} <= {batch_size}

    # Where each rank needs a batch in each step, it repeats one that counts elsewhere.
    even = [
        keys(load, length, batch_size, rank=rank, world_size=world_size, even=True)
        for rank in range(world_size)
    ]
    batches = load("runtime.batches")
    count = batches.count_steps(length, batch_size, world_size=world_size)
    assert {len(share) for share in even} == {count}
    own_samples = 0
    for rank, share in enumerate(shares):
        facts = {"rank": rank, "world_size": world_size}
        steps = list(batches.epoch_steps(length, batch_size, **facts))
        own = [len(key.indices) for key in share]
        assert [step.own_samples for step in steps] == own + [0] * (count - len(own))
        assert sum(step.batches for step in steps) == len(alone)
        assert sum(step.samples for step in steps) == length
        assert even[rank] == share + [even[0][-1]] * (count - len(share))
        own_samples += sum(own)
    assert own_samples == length


def test_each_epoch_and_each_seed_has_an_order_of_its_own_which_repeats(load: Load) -> None:
    orders = {
        (seed, epoch): [key.indices for key in keys(load, 100, 10, seed=seed, epoch=epoch)]
        for seed in (0, 1, 2**32 - 1)
        for epoch in (0, 1, 2)
    }
    assert len({str(order) for order in orders.values()}) == len(orders)
    again = [key.indices for key in keys(load, 100, 10, seed=1, epoch=2)]
    assert again == orders[1, 2]


def test_without_shuffling_the_order_is_that_of_the_data_set(load: Load) -> None:
    found = keys(load, 10, 4, shuffle=False, epoch=3)
    assert [tuple(key) for key in found] == [
        (3, 0, [0, 1, 2, 3]),
        (3, 1, [4, 5, 6, 7]),
        (3, 2, [8, 9]),
    ]
    assert all(type(index) is int for key in found for index in key.indices)


@pytest.mark.parametrize("first", [0, 1, 4, 9])
def test_an_epoch_can_be_entered_at_any_batch(first: int, load: Load) -> None:
    # Also by another number of ranks: what they still load is what is left.
    left = keys(load, 97, 10)[first:]
    for world_size in (1, 2, 3):
        shares = [
            keys(load, 97, 10, first=first, rank=rank, world_size=world_size)
            for rank in range(world_size)
        ]
        assert sorted(key for share in shares for key in share) == left
        assert shares[0] == left[::world_size]


def draw() -> tuple[float, float, float]:
    """A number of each of the three generators."""
    return random.random(), float(np.random.random()), float(torch.rand(()))


class Draws:
    """A data set of nothing but random draws."""

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> tuple[int, tuple[float, float, float]]:
        return index, draw()


def test_seeding_fixes_all_three_generators_and_nothing_is_drawn_twice(load: Load) -> None:
    seed_generators = load("runtime.generators").seed_generators
    drawn = {}
    for key in [(seed, epoch, number) for seed in (0, 1) for epoch in (0, 1) for number in (0, 1)]:
        seed_generators(*key)
        drawn[key] = draw()
    for column in zip(*drawn.values(), strict=True):
        assert len(set(column)) == len(drawn)
    seed_generators(1, 0, 1)
    assert draw() == drawn[1, 0, 1]


def loaded(load: Load, dataset: Any, key: Any, threads: int = 0) -> Any:
    """One batch, as a list."""
    module = load("runtime.reader")
    reader = module.BatchReader(module.BatchSource({"data": dataset}, 7, list))
    request = module.Request("data", key)
    try:
        reader.expect(request, threads)
        return reader.load(request)[0]
    finally:
        reader.ahead.close()


class Parts(Draws):
    """The same, with reading and preparing told apart."""

    def read(self, index: int) -> int:
        return index

    def prepare(self, raw: int) -> tuple[int, tuple[float, float, float]]:
        return raw, draw()


@pytest.mark.parametrize("dataset", [Draws(), Parts()])
@pytest.mark.parametrize("threads", [0, 3])
def test_a_batch_depends_on_nothing_that_happened_before(
    dataset: Any, threads: int, load: Load
) -> None:
    order = keys(load, 12, 5, seed=7)
    expected = {key.number: loaded(load, Draws(), key) for key in order}
    draw()
    found = {key.number: loaded(load, dataset, key, threads=threads) for key in reversed(order)}
    assert found == expected
    other = keys(load, 12, 5, seed=7, epoch=1)
    assert {key.number: loaded(load, dataset, key) for key in other} != expected


def test_loading_in_the_main_process_leaves_its_random_state_alone(load: Load) -> None:
    generators = load("runtime.generators")
    generators.seed_generators(3, 3, 3)
    expected = draw(), draw()
    generators.seed_generators(3, 3, 3)
    first = draw()
    with generators.LoadingGenerators().in_use():
        loaded(load, Draws(), keys(load, 12, 5)[0])
    assert (first, draw()) == expected


def test_a_sample_that_fails_leaves_the_random_state_alone_too(load: Load) -> None:
    class Failing(Draws):
        def __getitem__(self, index: int) -> Any:
            draw()
            raise LookupError("no such sample")

    generators = load("runtime.generators")
    generators.seed_generators(3, 3, 3)
    expected = draw()
    generators.seed_generators(3, 3, 3)
    with pytest.raises(LookupError), generators.LoadingGenerators().in_use():
        loaded(load, Failing(), keys(load, 12, 5)[0])
    assert draw() == expected
