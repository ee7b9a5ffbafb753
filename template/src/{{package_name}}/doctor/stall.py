"""A piece of an epoch stalls: switches things off, one at a time, until it does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .check import Check
from .child import Outcome

STALL = re.compile("stood still|did not answer|takes too long to load|^Timeout", re.M)
"""How the loader, and Python itself, say that something did not end."""


class Suspect(NamedTuple):
    """What may be to blame, how it is switched off, and what to do if it is."""

    name: str
    without: dict[str, Any]
    cure: str


SUSPECTS = (
    Suspect(
        "reading threads",
        {"threads": False},
        "read() is not safe to call from several threads: mend it, or set concurrent_reads = False "
        "on the data set.",
    ),
    Suspect(
        "pinned memory",
        {"device": "cpu"},
        "Page-locked memory is short: train with smaller batches, or look at the driver.",
    ),
    Suspect(
        "workers that live on",
        {"persistence": False},
        "Something in a worker fills up or is used up, such as connections: make it per batch.",
    ),
    Suspect(
        "your transforms: prepare()",
        {"transforms": False},
        "Look at the line below: a lock, a library with threads of its own, or a wait for ever.",
    ),
    Suspect(
        "worker processes",
        {"workers": 0},
        "What the data set does works in the main process only: the line below says where it waits.",
    ),
)
"""In the order in which they are tried."""


def stalls(outcome: Outcome) -> bool:
    """Whether a piece of an epoch did not end by itself."""
    if outcome.result is None:
        return not outcome.in_time or bool(STALL.search(outcome.output))
    return bool(STALL.search(outcome.result["error"] or ""))


def why_it_stalls(
    outcome: Outcome, piece: Mapping[str, Any], load: Callable[..., Outcome]
) -> Check:
    """Name what is to blame.

    Args:
        outcome: of the piece that stalls.
        piece: the options with which it was loaded.
        load: loads it again, with other options.
    """
    id, details = piece_id(piece["workers"]), "\n".join(stacks(outcome))
    for name, without, cure in SUSPECTS:
        is_off = without.items() <= piece.items()
        if not is_off and not stalls(load(**{**piece, **without})):
            sentence = f"a piece of an epoch stalls, and does not without {name}"
            return Check(id, "fault", sentence, cure, details)
    sentence = "a piece of an epoch stalls, in the main process too: reading itself waits"
    cure = "The line below says where: a lock, the network, something that never comes."
    return Check(id, "fault", sentence, cure, details)


def piece_id(workers: int) -> str:
    """The id of the check that loads a piece of an epoch."""
    return "one-worker" if workers == 1 else "two-workers"


def stacks(outcome: Outcome) -> list[str]:
    """Where each worker stood, by the lines that it wrote."""
    text = (outcome.result and outcome.result["error"]) or outcome.output
    return [line for line in text.splitlines() if "File " in line or STALL.search(line)]
