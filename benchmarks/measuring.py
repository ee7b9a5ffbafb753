"""How things are measured: all sides in turn, medians with their spread."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

Side = TypeVar("Side")
Found = TypeVar("Found")


class Spread(NamedTuple):
    """What was measured several times."""

    median: float
    low: float
    high: float
    runs: int


def spread(values: Sequence[float]) -> Spread:
    """The median of one value or more, the smallest and the largest."""
    return Spread(statistics.median(values), min(values), max(values), len(values))


def geometric_mean(ratios: Iterable[float]) -> float:
    """The mean of ratios: twice as fast and half as fast are even."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


def rotated(sides: Sequence[Side], turn: int) -> list[Side]:
    """The sides in the order of one round: another one begins each time."""
    start = turn % len(sides) if sides else 0
    return [*sides[start:], *sides[:start]]


def take_turns(
    sides: Sequence[Side], repeats: int, measure: Callable[[Side], Found]
) -> dict[Side, list[Found]]:
    """Measure all sides once in each round, so that a noisy minute meets all of them."""
    found: dict[Side, list[Found]] = {side: [] for side in sides}
    for turn in range(repeats):
        for side in rotated(sides, turn):
            found[side].append(measure(side))
    return found


def rounded(value: float) -> float:
    """Four digits: no measurement here is better, and files stay small."""
    return float(f"{value:.4g}")
