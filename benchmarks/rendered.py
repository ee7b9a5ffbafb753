"""The projects that are measured: rendered from the commit that is checked out."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from .child import ROOT

PACKAGE = "measured"


@dataclass
class Bench:
    """What a part needs to measure: a folder, its projects, and how much it shall measure."""

    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="bench-")))
    """Removed at the end."""
    quick: bool = False
    """Only try whether all works: the numbers mean nothing."""
    repeats: int | None = None
    """Instead of each part's own number of rounds."""
    only: str = ""
    """A part of the names of the workloads to measure."""
    peers: dict[str, str] = field(default_factory=dict)
    """Where the other templates are, by their names: instead of GitHub."""
    sources: Path | None = None
    """What the checkers read, instead of a part of torch."""

    def project(self, dataset: str = "arrays") -> Path:
        """A project for one form of data, and otherwise with default answers."""
        folder = self.folder / "projects" / dataset
        if not folder.exists():
            render(folder, dataset=dataset)
        return folder

    def rounds(self, usual: int) -> int:
        """How often each side is measured."""
        return self.repeats or (1 if self.quick else usual)


def render(folder: Path, **answers: Any) -> None:
    """Render a project with default answers, but for those given."""
    from copier import run_copy

    answers["package_name"] = PACKAGE
    run_copy(str(ROOT), folder, vcs_ref="HEAD", defaults=True, quiet=True, data=answers)


def use_project(folder: str | Path, *, warm: bool = True) -> None:
    """Make a project importable in this process, and prepare its workers as its command does.

    Args:
        warm: whether to start the fork server now, which imports torch for all its workers.
    """
    sys.path.insert(0, str(Path(folder) / "src"))
    if warm:
        part("runtime.start").prepare_workers()


def part(name: str) -> Any:
    """A module of the project in use."""
    return import_module(f"{PACKAGE}.{name}")


def held_loader(dataset: Any, batch_size: int, workers: int) -> Any:
    """The project's loader, with so many workers of the fork server and no reading threads."""
    loader = part("runtime.loader").BatchLoader(
        {"train": dataset},
        batch_size,
        num_workers=workers,
        start_method=start_method("forkserver"),
        tell=str,
    )
    loader.hold(part("runtime.adapt").Setup(0, workers))
    return loader


def start_method(name: str) -> Any:
    """A start method, as the project's loader takes it."""
    return part("runtime.start").StartMethod(name, "it is measured")
