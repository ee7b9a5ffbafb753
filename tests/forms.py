"""Projects whose data has one form, and copies of that data to be spoilt."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from rendering import Project

FORMS = ("arrays", "images", "hdf5", "tabular", "stream")


@dataclass(frozen=True)
class Form:
    """A rendered project whose data has one form, imported into this process."""

    project: Project

    def module(self, name: str) -> ModuleType:
        return importlib.import_module(f"{self.project.package}.{name}")

    @property
    def error(self) -> type[Exception]:
        """What all that people can mend is raised as."""
        kind: type[Exception] = self.module("runtime.errors").ProjectError
        return kind

    def dataset(self, data_dir: Path, split: str = "train", **options: Any) -> Any:
        return self.module("data").make_dataset(data_dir, split, **options)


def digits_file(form: Form, folder: Path) -> Path:
    """A copy of the training file."""
    (folder / "digits").mkdir(exist_ok=True)
    (source,) = form.project.folder.glob("data/digits/train.*")
    target = folder / "digits" / source.name
    target.write_bytes(source.read_bytes())
    return target


def lose_the_end(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20_000])
