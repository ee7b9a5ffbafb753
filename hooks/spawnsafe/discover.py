"""Finds the files to check: below folders, but not what git ignores."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from spawnsafe.config import matches, settings_for

SUFFIXES = (".py", ".pyw", ".ipynb")
NEVER = {
    ".git", ".hg", ".svn", ".venv", "venv", "__pycache__", ".mypy_cache", ".ruff_cache",
    ".pytest_cache", ".tox", ".nox", ".eggs", "node_modules", ".ipynb_checkpoints",
    ".spawnsafe_cache", "site-packages",
}  # fmt: skip
"""Folders that hold no code of the project."""

Complain = Callable[[Path, str], None]


@dataclass(frozen=True)
class Pattern:
    """One line of a .gitignore."""

    expression: re.Pattern[str]
    keeps: bool
    folders_only: bool


def find_files(paths: Iterable[Path], complain: Complain) -> Iterator[Path]:
    """The files to check, each once; what git ignores is checked if it is named."""
    seen: set[Path] = set()
    for path in paths:
        if path.is_dir():
            found: Iterable[Path] = _walk(path, complain)
        elif path.exists() or path.is_symlink():
            # Settings count for named files too: pre-commit names each file.
            found = [] if _is_excluded(path.absolute()) else [path]
        else:
            complain(path, "it does not exist")
            continue
        for file in found:
            key = file.absolute()
            if key not in seen:
                seen.add(key)
                yield file


def _is_excluded(path: Path) -> bool:
    settings = settings_for(path.parent)
    return any(matches(path, pattern, settings.root) for pattern in settings.exclude)


def _walk(top: Path, complain: Complain) -> Iterator[Path]:
    """The Python files below a folder. Links to folders are not followed, so there is no loop."""
    ignored = Ignored(top.absolute())

    def failed(error: OSError) -> None:
        complain(Path(error.filename or top), f"it cannot be read: {error.strerror}")

    for folder, folders, files in os.walk(top, onerror=failed):
        place = Path(folder)
        absolute = place.absolute()
        settings = settings_for(absolute)
        ignored.enter(absolute)

        def is_out(path: Path, is_folder: bool) -> bool:
            return ignored.holds(path, is_folder) or any(
                matches(path, pattern, settings.root)  # noqa: B023  # called at once
                for pattern in settings.exclude  # noqa: B023
            )

        folders[:] = sorted(
            name for name in folders if name not in NEVER and not is_out(absolute / name, True)
        )
        for name in sorted(files):
            if name.endswith(SUFFIXES) and not is_out(absolute / name, False):
                if name.startswith(".#") and not os.path.exists(absolute / name):
                    continue  # The lock file of an editor: a link that leads nowhere.
                yield place / name


class Ignored:
    """What the .gitignore files of a repository leave out."""

    def __init__(self, top: Path) -> None:
        self.patterns: dict[Path, list[Pattern]] = {}
        self.root = top
        for place in (top, *top.parents):
            if (place / ".git").exists():
                self.root = place
                self._read(place, place / ".git" / "info" / "exclude")
                break
        else:
            return
        for place in reversed(top.parents):
            if place.is_relative_to(self.root):
                self.enter(place)

    def enter(self, folder: Path) -> None:
        """Read the .gitignore of a folder."""
        self._read(folder, folder / ".gitignore")

    def _read(self, folder: Path, file: Path) -> None:
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return
        found = [pattern for line in lines if (pattern := compile_line(line)) is not None]
        self.patterns.setdefault(folder, []).extend(found)

    def holds(self, path: Path, is_folder: bool) -> bool:
        """Whether the last pattern that fits leaves the path out."""
        verdict = False
        for folder in reversed(path.parents):
            for pattern in self.patterns.get(folder, ()):
                if pattern.folders_only and not is_folder:
                    continue
                if pattern.expression.fullmatch(path.relative_to(folder).as_posix()):
                    verdict = not pattern.keeps
        return verdict


def compile_line(line: str) -> Pattern | None:
    """A line of a .gitignore as a regular expression; None for a comment or an empty line."""
    line = re.sub(r"(?<!\\)\s+$", "", line)
    if not line or line.startswith("#"):
        return None
    keeps = line.startswith("!")
    line = line[1:] if keeps else line
    folders_only = line.endswith("/")
    line = line.rstrip("/")
    anchored = "/" in line
    line = line.lstrip("/")
    expression, position = "", 0
    while position < len(line):
        rest = line[position:]
        if rest.startswith("**/"):
            expression, position = expression + "(?:.*/)?", position + 3
        elif rest == "**":
            expression, position = expression + ".*", position + 2
        elif rest[0] == "*":
            expression, position = expression + "[^/]*", position + 1
        elif rest[0] == "?":
            expression, position = expression + "[^/]", position + 1
        elif rest[0] == "[" and "]" in rest[2:]:
            end = rest.index("]", 2)
            inner = rest[1:end].replace("\\", "\\\\")
            inner = "^" + inner[1:] if inner[0] == "!" else inner
            expression, position = f"{expression}[{inner}]", position + end + 1
        elif rest[0] == "\\" and len(rest) > 1:
            expression, position = expression + re.escape(rest[1]), position + 2
        else:
            expression, position = expression + re.escape(rest[0]), position + 1
    try:
        return Pattern(
            re.compile(expression if anchored else f"(?:.*/)?{expression}"), keeps, folders_only
        )
    except re.error:
        return None
