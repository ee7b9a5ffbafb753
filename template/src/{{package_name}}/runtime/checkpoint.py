"""Checkpoints: tensors and plain values, saved whole, read without running code from them.

A run that is killed at any moment goes on from the last one, and ends with the same weights, bit by
bit on a CPU, as a run that never stopped: all that a later step depends on is in it.
"""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import torch

from .errors import ProjectError
from .files import earlier_attempts, write_whole
from .generators import get_generators, set_generators
from .interrupt import Stopped
from .metrics import write_metrics
from .progress import Progress
from .ranks import answered_by_first, asked_of_first, read_ranks, total

LAST, PREVIOUS, BEST = "last.pt", "previous.pt", "best.pt"
SAVING_SHARE = 0.05
"""Saving by time takes at most this share of it, however large the model is."""


class Checkpoints:
    """Saves a run in its folder: last.pt, the previous.pt before it, and best.pt.

    Args:
        run_dir: the folder.
        parts: what has a state, such as the model, by its name in the file.
        device: where they compute; its random state is saved too.
        every_s: seconds after which a step is followed by saving.
        every_steps: the same, counted in steps; 0 for never.
    """

    def __init__(
        self,
        run_dir: Path,
        parts: Mapping[str, Any],
        device: torch.device,
        *,
        every_s: float,
        every_steps: int = 0,
    ) -> None:
        self.run_dir, self.parts, self.device = run_dir, parts, device
        self.every_s, self.every_steps = every_s, every_steps
        self._writes = read_ranks().is_first
        if self._writes:
            for unfinished in run_dir.glob("*.tmp"):  # by a run that was killed while it saved
                with suppress(OSError):
                    unfinished.unlink()
        self._saved_s = time.monotonic()
        self._took_s = 0.0
        self._steps = 0

    def is_due(self) -> bool:
        """Whether it is time to save; to be asked once after each step."""
        self._steps += 1
        pause_s = max(self.every_s, self._took_s / SAVING_SHARE)
        return self._steps == self.every_steps or time.monotonic() - self._saved_s >= pause_s

    def save(self, progress: Progress) -> None:
        """Save where the run is now. Every rank has to call it; the first one writes."""
        started_s = time.monotonic()
        state = self._state(progress)
        if self._writes:
            save_checkpoint(self.run_dir / LAST, state, describe(progress))
        self._saved_s = time.monotonic()
        self._took_s, self._steps = self._saved_s - started_s, 0

    def save_epoch(self, progress: Progress, *, is_best: bool) -> None:
        """Save what an epoch ended with, and the table of all of them."""
        state = self._state(progress)
        if self._writes and is_best:
            save_checkpoint(self.run_dir / BEST, state, describe(progress))
        if self._writes:
            write_metrics(self.run_dir, progress.history)
        # Last, for it says that the epoch is done: after a crash before it, its end is done again.
        self.save(progress)

    @contextmanager
    def saved_when_stopped(self, progress: Progress) -> Iterator[None]:
        """Save if a signal ends the block between two steps, where all is consistent."""
        try:
            yield
        except Stopped as stopped:
            self.save(progress)
            stopped.run_dir = self.run_dir
            raise

    def _state(self, progress: Progress) -> dict[str, Any]:
        parts = {name: part.state_dict() for name, part in self.parts.items()}
        values = {field.name: getattr(progress, field.name) for field in fields(progress)}
        values["loss_sum"] = torch.tensor(total(progress.loss_sum)[0])
        return {**parts, "generators": get_generators(self.device), "progress": values}


def load_progress(path: Path, parts: Mapping[str, Any], device: torch.device) -> Progress:
    """Put parts and random generators back as `Checkpoints` saved them, and return how far it was.

    Raises:
        ProjectError: the file is missing or damaged, or was saved with other parts.
    """
    state = load_checkpoint(path, parts)
    is_first = read_ranks().is_first
    try:
        progress = Progress(**state["progress"])
        if is_first:  # the others have random numbers of their own
            set_generators(state["generators"], device)
        else:  # their part of the sum is still to come
            progress.loss_sum = torch.zeros_like(progress.loss_sum)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ProjectError(
            f"{path} was saved by another program ({error!r}): train anew."
        ) from error
    if path.name == PREVIOUS and is_first:
        # Else the last one, which is damaged, would take the place of the only good one.
        os.replace(path, path.with_name(LAST))
    return progress


def describe(progress: Progress) -> dict[str, Any]:
    """What people want to know about a checkpoint."""
    done = {"epochs": progress.epoch, "batches_of_the_next": progress.batches}
    return {"done": done, **(progress.history[-1] if progress.history else {})}


def save_checkpoint(path: Path, state: Mapping[str, Any], summary: Mapping[str, Any]) -> None:
    """Save tensors and plain values, and beside them a summary that people can read (.json).

    last.pt is kept as previous.pt until it is saved the next time.
    """
    buffer = io.BytesIO()
    torch.save(dict(state), buffer)
    keep = path.with_name(PREVIOUS) if path.name == LAST else None
    write_whole(path, buffer.getbuffer(), keep=keep)
    write_whole(path.with_suffix(".json"), json.dumps(summary, indent=2).encode())


@answered_by_first
def find_start(resume: Path | None, runs_dir: Path) -> Path | None:
    """The checkpoint to go on from, None for a new run.

    Without a run to resume it is that of an earlier attempt, where torchrun starts its ranks anew.
    """
    if resume:
        return find_checkpoint(resume.absolute())
    for run in earlier_attempts(runs_dir):
        if any((run / name).exists() for name in (LAST, PREVIOUS)):
            return find_checkpoint(run)
    return None


def find_checkpoint(run: Path) -> Path:
    """The file to resume from: a file itself, or the newest of a folder.

    Raises:
        ProjectError: there is none.
    """
    if run.suffix == ".pt":
        return run
    for name in (LAST, PREVIOUS):  # a crash may come after the one was moved, before the new came
        if (run / name).exists():
            return run / name
    raise ProjectError(
        f"{run} holds no {LAST}: name the folder of a run that has saved something, or a .pt file."
    )


def load_checkpoint(path: Path, parts: Mapping[str, Any]) -> dict[str, Any]:
    """Load what `save_checkpoint` saved; never runs code from the file.

    Rank 0 reads the file for all ranks, which need not share a disk.

    Args:
        parts: what to put back into the state it had, such as a model, by its name in the file.

    Raises:
        ProjectError: the file is missing or damaged, or was saved with other parts.
    """
    try:
        content = asked_of_first(path.read_bytes)
        state = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except (FileNotFoundError, NotADirectoryError):
        raise ProjectError(
            f"{path} does not exist: name the folder of a run that finished an epoch."
        ) from None
    except Exception as error:  # a damaged file fails in whatever part of it is read first
        raise ProjectError(
            f"{path} cannot be read, it may be damaged. {cure_of_damage(path)}"
        ) from error
    try:
        for name, part in parts.items():
            part.load_state_dict(state[name])
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ProjectError(
            f"{path} does not fit: it was saved with another model or by another program ({error}). "
            "Go back to the model.py that it was saved with, or train anew."
        ) from error
    return dict(state)


def cure_of_damage(path: Path) -> str:
    """What to do about a checkpoint that is damaged."""
    if path.name == BEST and path.with_name(LAST).exists():
        return f"Copy {LAST} over it, for the last model in place of the best, or train anew."
    others = [file for file in sorted(path.parent.glob("*.pt")) if file != path]
    others.sort(key=lambda file: file.name != PREVIOUS)
    return f"Go on from another one: train --resume {others[0]}" if others else "Train anew."
