"""Runs commands of rendered projects, as if on any system, in the environment of the tests."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from children import Ended, run_child
from rendering import Project
from variants import Answers

EMULATE = Path(__file__).resolve().parent / "emulate"
PROGRAMS = Path(__file__).resolve().parent / "programs"
SYS_PLATFORM = {"windows": "win32", "macos": "darwin", "linux": "linux"}
HERE = {name: system for system, name in SYS_PLATFORM.items()}.get(sys.platform, "unknown")
"""This system, by its name among the answers."""
TIMEOUT_S = 400
"""Far more than any of it takes, for machines that have much else to do."""


def run_python(
    project: Project, *arguments: str | Path, system: str, cwd: Path | None = None
) -> Ended:
    """Run `python ARGUMENTS` with the project's package on the path, as if on a system."""
    return run_child(
        [sys.executable, *arguments],
        cwd=cwd or project.folder,
        environment=variables(project, system),
        timeout_s=TIMEOUT_S,
    )


def variables(project: Project, system: str) -> dict[str, str]:
    """The environment in which Python finds the project's package, as if on a system."""
    path = [str(project.folder / "src")]
    environment = {}
    if SYS_PLATFORM[system] != sys.platform:
        path.insert(0, str(EMULATE))
        environment["EMULATE_PLATFORM"] = SYS_PLATFORM[system]
    environment["PYTHONPATH"] = (";" if sys.platform == "win32" else ":").join(path)
    return environment


def require_runnable(answers: Answers, system: str) -> None:
    """Skip the test where the variant cannot run."""
    lowest = tuple(map(int, answers["python_version"].split(".")))
    if sys.version_info < lowest:
        pytest.skip(f"the variant needs Python {answers['python_version']} or newer")
    if HERE not in ("linux", system):
        pytest.skip(f"only Linux can run the variant as if on {system}")


def result(ended: Ended) -> Any:
    """What a program of programs/ printed at last."""
    assert ended.code == 0, ended.output
    return json.loads(ended.output.splitlines()[-1])


def all_samples(length: int, batch_size: int = 4) -> list[list[int]]:
    """The batches of one epoch in the order of the data set."""
    return [
        list(range(length))[start : start + batch_size] for start in range(0, length, batch_size)
    ]
