"""Checkpoints: tensors and plain values, saved whole and read without running code."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from .errors import ProjectError
from .files import write_whole


def save_checkpoint(path: Path, state: Mapping[str, Any], summary: Mapping[str, Any]) -> None:
    """Save tensors and plain values, and beside them a summary that people can read (.json)."""
    buffer = io.BytesIO()
    torch.save(dict(state), buffer)
    write_whole(path, buffer.getvalue())
    write_whole(path.with_suffix(".json"), json.dumps(summary, indent=2).encode())


def save_epoch(
    run_dir: Path,
    state: Mapping[str, Any],
    history: Sequence[Mapping[str, Any]],
    *,
    is_best: bool,
) -> None:
    """Save what an epoch ended with: last.pt, best.pt if it is that, and metrics.csv.

    Args:
        history: one row of figures for each epoch so far, all with the same columns.
    """
    if is_best:
        save_checkpoint(run_dir / "best.pt", state, history[-1])
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(history[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(history)
    write_whole(run_dir / "metrics.csv", text.getvalue().encode())
    # Last, for it says that the epoch is done: after a crash before it, the epoch is done again.
    save_checkpoint(run_dir / "last.pt", state, history[-1])


def load_checkpoint(path: Path, parts: Mapping[str, Any]) -> dict[str, Any]:
    """Load what `save_checkpoint` saved; never runs code from the file.

    Args:
        parts: what to put back into the state it had, such as a model, by its name in the file.

    Raises:
        ProjectError: the file is missing or damaged, or was saved with other parts.
    """
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise ProjectError(
            f"{path} does not exist: name the folder of a run that finished an epoch."
        ) from None
    except Exception as error:  # a damaged file fails in whatever part of it is read first
        others = [file.name for file in sorted(path.parent.glob("*.pt")) if file != path]
        there = f"Beside it are: {', '.join(others)}." if others else "There is no other beside it."
        raise ProjectError(f"{path} cannot be read, it may be damaged. {there}") from error
    try:
        for name, part in parts.items():
            part.load_state_dict(state[name])
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ProjectError(
            f"{path} does not fit: it was saved with another model or by another program ({error}). "
            "Go back to the model.py that it was saved with, or train anew."
        ) from error
    return dict(state)
