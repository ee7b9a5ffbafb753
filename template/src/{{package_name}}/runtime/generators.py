"""The random generators that people draw from: `random`, numpy's global one, torch's.

Seeded for each batch, put aside while the main process loads, saved in checkpoints.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from .ranks import read_ranks


def seed_everything(seed: int) -> None:
    """Seed all generators of training, accelerators' too; each rank has numbers of its own."""
    for set_seed in (random.seed, np.random.seed, torch.manual_seed):
        set_seed((seed + read_ranks().rank) % 2**32)


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
        numpy: Any = np.random  # its types do not know these two
        training = numpy.get_bit_generator()
        numpy.set_bit_generator(self._numpy)
        try:
            yield
        finally:
            numpy.set_bit_generator(training)
            random.setstate(python_state)
            torch.default_generator.set_state(torch_state)


def get_generators(device: torch.device) -> dict[str, Any]:
    """The state of the random generators that training may draw from, as plain values."""
    state: Any = np.random.get_state()
    algorithm, key, *rest = state
    states: dict[str, Any] = {
        "python": random.getstate(),
        "numpy": [algorithm, key.tolist(), *rest],
        "torch": torch.get_rng_state(),
    }
    if device.type != "cpu":
        states[device.type] = torch.get_device_module(device).get_rng_state()
    return states


def set_generators(states: Mapping[str, Any], device: torch.device) -> None:
    """Put the random generators into a state that was saved."""
    random.setstate(states["python"])
    algorithm, key, *rest = states["numpy"]
    np.random.set_state((algorithm, np.array(key, dtype=np.uint32), *rest))
    torch.set_rng_state(states["torch"])
    if device.type in states:  # else it was saved on another device
        torch.get_device_module(device).set_rng_state(states[device.type])
