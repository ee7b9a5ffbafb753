"""Results on disk: folders of runs, and files that are whole or not there at all."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from .errors import ProjectError

REPLACING_S, PAUSE_S = 2.0, 0.05
"""How long, and how often, a file is tried that another program has open."""


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
    """The newest run that has finished an epoch.

    Raises:
        ProjectError: there is none.
    """
    runs = sorted(file.parent for file in runs_dir.absolute().glob("*/best.pt"))
    if not runs:
        raise ProjectError(
            f"There is no finished epoch of any run in {runs_dir.absolute()}: train first, or name "
            "the folder of a run."
        )
    return runs[-1]


def write_whole(path: Path, content: bytes | memoryview, *, keep: Path | None = None) -> None:
    """Write a file so that a reader, or a crash, meets the old content or the new, never a part.

    Args:
        keep: where the old content goes.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # without it, a power cut may leave an empty file
        if keep and path.exists():
            replace(path, keep)
        replace(temporary, path)
    except OSError as error:
        raise ProjectError(f"{path} cannot be written ({error.strerror or error}).") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def replace(source: Path, target: Path) -> None:
    """Move a file to the place of another one.

    On Windows that is refused while somebody has either open: a virus scanner, for a moment.
    """
    deadline_s = time.monotonic() + REPLACING_S
    while True:
        try:
            os.replace(source, target)
            return
        except PermissionError as error:
            if time.monotonic() > deadline_s:
                error.strerror = f"{error.strerror}: is it open in another program?"
                raise
        time.sleep(PAUSE_S)
