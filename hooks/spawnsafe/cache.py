"""Remembers what was found in files that have not changed since."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from dataclasses import astuple
from pathlib import Path

from spawnsafe import __version__
from spawnsafe.check import Report, Result
from spawnsafe.config import Settings, project_for

FOLDER = ".spawnsafe_cache"


class Cache:
    """One file below the working folder, like the caches of other tools.

    An entry holds as long as the file keeps its size and time of change, and the settings and this
    tool stay the same.
    """

    def __init__(self, folder: Path | None) -> None:
        self.file = None if folder is None else folder / FOLDER / "results.json"
        self.tool = _fingerprint()
        self.entries: dict[str, list[object]] = {}
        self.changed = False
        if self.file is not None:
            try:
                stored = json.loads(self.file.read_text(encoding="utf-8"))
                if stored["tool"] == self.tool:
                    self.entries = dict(stored["entries"])
            except (OSError, ValueError, KeyError, TypeError):
                pass

    def get(self, path: Path, settings: Settings) -> Result | None:
        if self.file is None:
            return None
        entry = self.entries.get(str(path.absolute()))
        state = _state(path, settings)
        if entry is None or state is None or entry[0] != state:
            return None
        try:
            return Result(path, [Report(*values) for values in entry[1]], [])  # type: ignore
        except TypeError:
            return None

    def put(self, result: Result, settings: Settings) -> None:
        state = _state(result.path, settings)
        if self.file is None or state is None or result.errors:
            return
        reports = [list(astuple(report)) for report in result.reports]
        self.entries[str(result.path.absolute())] = [state, reports]
        self.changed = True

    def save(self) -> None:
        """Write the file anew; where that is not possible, nothing is remembered."""
        if self.file is None or not self.changed:
            return
        try:
            self.file.parent.mkdir(exist_ok=True)
            (self.file.parent / ".gitignore").write_text("*\n", encoding="utf-8")
            temporary = self.file.with_suffix(f".{os.getpid()}")
            content = json.dumps({"tool": self.tool, "entries": self.entries})
            temporary.write_text(content, encoding="utf-8")
            os.replace(temporary, self.file)
        except OSError:
            pass


def _fingerprint() -> str:
    """This tool: its version and files, and the Python that parses."""
    here = Path(__file__).parent
    files = sorted(here.rglob("*.py"))
    state = [(p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in files]
    return hashlib.sha256(repr((__version__, sys.version, state)).encode()).hexdigest()


def _state(path: Path, settings: Settings) -> str | None:
    """All that a result depends on, beside the tool."""
    try:
        stat = path.stat()
    except OSError:
        return None
    absolute = path.absolute()
    project = project_for(absolute.parent, settings.frozen, settings.cuda)
    told = (sorted(settings.codes_for(absolute)), settings.frozen, settings.cuda)
    facts = (project.frozen, sorted(map(str, project.entries)), project.has_cuda)
    parts = (stat.st_size, stat.st_mtime_ns, told, facts, project.runs_on_macos)
    return hashlib.sha256(repr(parts).encode()).hexdigest()
