"""Results on disk: folders of runs, and files that are whole or not there at all."""

from __future__ import annotations

import csv
import io
import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from .errors import ProjectError


def new_run_folder(runs_dir: Path) -> Path:
    """Make a folder named by the time for a new run; never one that exists.

    Raises:
        ProjectError: the folder cannot be made.
    """
    name = time.strftime("%Y-%m-%d_%H-%M-%S")
    for suffix in ("", *(f"_{number}" for number in range(2, 1000))):
        folder = runs_dir.absolute() / f"{name}{suffix}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            if folder.is_dir():
                continue
            raise ProjectError(f"{folder} is a file, but must be a new folder.") from None
        except OSError as error:
            raise ProjectError(
                f"No folder for results can be made in {runs_dir.absolute()} ({error.strerror}). "
                "Choose another with --runs-dir."
            ) from error
        return folder
    raise ProjectError(f"{runs_dir} already has 1,000 runs that began at {name}.")


def newest_run(runs_dir: Path) -> Path:
    """The newest run that has saved something.

    Raises:
        ProjectError: there is none.
    """
    runs = sorted(file.parent for file in runs_dir.absolute().glob("*/last.pt"))
    if not runs:
        raise ProjectError(
            f"There is no finished epoch of any run in {runs_dir.absolute()}: train first, or name "
            "the folder of a run."
        )
    return runs[-1]


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that a reader, or a crash, meets the old content or the new, never a part."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # without it, a power cut may leave an empty file
        os.replace(temporary, path)
    except OSError as error:
        raise ProjectError(f"{path} cannot be written ({error.strerror or error}).") from error
    finally:
        temporary.unlink(missing_ok=True)


def save_checkpoint(path: Path, state: Mapping[str, Any], summary: Mapping[str, Any]) -> None:
    """Save tensors and plain values, and beside them a summary that people can read (.json)."""
    buffer = io.BytesIO()
    torch.save(dict(state), buffer)
    write_whole(path, buffer.getvalue())
    write_whole(path.with_suffix(".json"), json.dumps(summary, indent=2).encode())


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Load what `save_checkpoint` saved, onto the CPU; never runs code from the file.

    Raises:
        ProjectError: the file is missing or damaged.
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
    if not isinstance(state, dict):
        raise ProjectError(f"{path} is no checkpoint of this program: it holds no dictionary.")
    return state


def save_table(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows that have the same columns as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue().encode())
