"""Renders the template as it lies in the working tree, through Copier's own API."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from copier import run_copy

from variants import Answers

BINARY = (".h5", ".npy", ".parquet", ".png", ".tar")
"""Suffixes of files that are no text."""
ROOT = Path(__file__).resolve().parents[1]
"""The repository of the template."""


@dataclass(frozen=True)
class Project:
    """A rendered project."""

    folder: Path
    answers: dict[str, Any]
    """All answers that Copier recorded, the defaults too."""

    @property
    def package(self) -> str:
        """The import name of its package."""
        return str(self.answers["package_name"])

    @property
    def source(self) -> Path:
        """The folder of its package."""
        return self.folder / "src" / self.package

    def files(self) -> list[Path]:
        """All its files, but not what git keeps, in a fixed order."""
        found = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return [path for path in found if not path.is_relative_to(self.folder / ".git")]

    def texts(self) -> dict[str, str]:
        """The content of its text files, by their paths below the project with forward slashes."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes().decode("utf-8")
            for path in self.files()
            if path.suffix not in BINARY
        }


def listed_files(repository: Path = ROOT) -> list[str]:
    """What the working tree holds, committed or not, but not what git ignores."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=repository,
        check=True,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    return [name for name in listing.stdout.split("\0") if name and (repository / name).exists()]


def export_template(destination: Path, *, thin: bool = False) -> Path:
    """Copy what Copier reads to a folder without git, so that it renders what is there now.

    Args:
        thin: take one image of each class, since Copier needs a moment for each of 600 files.
    """
    folders_of_images = set()
    for name in listed_files():
        if name != "copier.yml" and name.split("/")[0] not in ("includes", "template"):
            continue
        target = destination / name
        if thin and target.suffix == ".png":
            if target.parent in folders_of_images:
                continue
            folders_of_images.add(target.parent)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    return destination


def read_questions() -> dict[str, dict[str, Any]]:
    """The questions of copier.yml, without those in files that it includes."""

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!include", lambda loader, node: {})
    documents = yaml.load_all((ROOT / "copier.yml").read_text(encoding="utf-8"), Loader)
    return {k: v for document in documents for k, v in document.items() if k[0] != "_"}


def render(template: Path, folder: Path, answers: Answers) -> Project:
    """Render a new project; what is not answered keeps its default. Copier is never trusted."""
    run_copy(str(template), folder, data=as_data(answers), defaults=True, quiet=True, unsafe=False)
    return open_project(folder)


def render_all(template: Path, parent: Path, variants: Sequence[Answers]) -> list[Project]:
    """Render many variants into numbered folders."""
    return [
        render(template, parent / f"{number:03}", answers)
        for number, answers in enumerate(variants)
    ]


def ruff_complaints(folder: Path, *arguments: str) -> str:
    """What ruff says about all projects below a folder; nothing if all is well."""
    # The nearest pyproject.toml counts for each file, with its own lowest Python version.
    command = [sys.executable, "-m", "ruff", *arguments, "--output-format=concise", "--no-cache"]
    done = subprocess.run([*command, folder], capture_output=True, encoding="utf-8", timeout=120)
    return done.stdout + done.stderr if done.returncode else ""


def as_data(answers: Answers) -> dict[str, Any]:
    """Answers as Copier takes them: a choice of several is a list."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in answers.items()}


def open_project(folder: Path) -> Project:
    """A project that was rendered before."""
    recorded = yaml.safe_load((folder / ".copier-answers.yml").read_text(encoding="utf-8"))
    return Project(folder, recorded)
