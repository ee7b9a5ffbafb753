"""The setting that `tune --save` has found: `train` takes it on the machine where it was measured."""

from __future__ import annotations

from pathlib import Path

import tomli_w

from ..runtime.adapt import Setup
from ..runtime.errors import ProjectError
from ..runtime.files import write_whole
from ..runtime.program import PROGRAM
from ..runtime.settings import read_toml

SAVED = Path("tuned.toml")
"""In the folder that runs are started in."""


def save(setup: Setup, processors: int | None, path: Path = SAVED) -> None:
    """Write a setup.

    Args:
        processors: of this machine, to know it again.
    """
    head = f"# Written by: {PROGRAM} tune --save\n# Delete it to have runs choose by themselves.\n"
    loader = {"num_workers": setup.workers, "reading_threads": setup.threads}
    content = {"processors": processors or 0, "loader": loader}
    write_whole(path, (head + tomli_w.dumps(content)).encode())


def read_saved(processors: int | None, path: Path = SAVED) -> tuple[Setup | None, str]:
    """The setup that was saved, if it is for this machine, and a sentence about it.

    Raises:
        ProjectError: the file is damaged.
    """
    if not path.exists():
        return None, ""
    content = read_toml(path)
    try:
        loader = content["loader"]
        setup = Setup(int(loader["reading_threads"]), int(loader["num_workers"]))
        measured_on = int(content["processors"])
    except (KeyError, TypeError, ValueError) as error:
        raise ProjectError(f"{path} was not written by tune --save: delete it.") from error
    if measured_on != (processors or 0):
        where = f"measured on another machine ({measured_on} processors, here {processors})"
        return None, f"{path} is not used, for it was {where}: {PROGRAM} tune --save"
    return (
        setup,
        f"loading as tune found best: {setup} (from {path}; flags and --config override it)",
    )
