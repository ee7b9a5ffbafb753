"""How far training has come: what a checkpoint holds besides model, optimizer and generators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import torch

from .batches import Step

Batch = TypeVar("Batch")


@dataclass
class Progress:
    """How far training has come, over all ranks."""

    step = Step(1, 0, 0)  # the one under way; it is never saved
    epoch: int = 0
    """The epoch under way, counted from 0."""
    batches: int = 0
    """How many of its batches are done."""
    samples: int = 0
    """How many samples were in them."""
    loss_sum: torch.Tensor = field(default_factory=lambda: torch.zeros(()))
    """Sum of their losses, this rank's part. On the device: to ask for it makes the CPU wait."""
    history: list[dict[str, float]] = field(default_factory=list)
    """Figures of the epochs that are done, all with the same names."""

    def follow(self, batches: Iterable[Batch], steps: Iterable[Step]) -> Iterator[Batch]:
        """Yield the batches for `add`, and know meanwhile which part of a step each of them is."""
        for batch, self.step in zip(batches, steps, strict=True):
            yield batch
        self.step = Step(1, 0, 0)

    def add(self, loss: torch.Tensor, samples: int) -> None:
        """Note a step: the mean loss of the samples in this process's batch."""
        step = self.step if self.step.samples else Step(1, samples, samples)
        self.loss_sum += loss.detach() * step.own_samples
        self.samples += step.samples
        self.batches += step.batches

    def end_epoch(self, metrics: dict[str, float]) -> None:
        """Begin the next epoch."""
        self.history.append(metrics)
        self.epoch, self.batches, self.samples = self.epoch + 1, 0, 0
        self.loss_sum = torch.zeros_like(self.loss_sum)
