"""Settings: [tool.spawnsafe] in pyproject.toml, and what a project says about itself."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

from spawnsafe.module import Project
from spawnsafe.rules import BY_CODE, UNUSED
from spawnsafe.toml import TomlError, read_table

CODES = (UNUSED, *BY_CODE)
KEYS = ("select", "ignore", "exclude", "per-file-ignores", "frozen", "cuda")


class ConfigError(Exception):
    """A setting that cannot be used; the message names the file, the value and the cure."""


@dataclass(frozen=True)
class Settings:
    """What is checked.

    Attributes:
        codes: the codes that are reported.
        exclude: patterns of files and folders that are left out, below `root`.
        per_file: patterns of files, and the codes that are not reported there.
    """

    codes: frozenset[str] = frozenset(CODES)
    exclude: tuple[str, ...] = ()
    per_file: tuple[tuple[str, frozenset[str]], ...] = ()
    frozen: bool | None = None
    cuda: bool | None = None
    root: Path = field(default_factory=Path.cwd)

    def codes_for(self, path: Path) -> frozenset[str]:
        left_out = [codes for pattern, codes in self.per_file if matches(path, pattern, self.root)]
        return self.codes.difference(*left_out)


def matches(path: Path, pattern: str, root: Path) -> bool:
    """Whether a pattern names the file, or a folder that it lies in."""
    try:
        relative = path.relative_to(root).as_posix()
    except ValueError:
        relative = path.as_posix()
    pattern = pattern.rstrip("/")
    names = [relative, *relative.split("/")] if "/" not in pattern else [relative]
    folders = [part.as_posix() for part in Path(relative).parents]
    return any(fnmatch(name, pattern) for name in (*names, *folders))


def expand_codes(given: object, where: str) -> frozenset[str]:
    """Codes and beginnings of codes; the first that is unknown is an error."""
    if not isinstance(given, list) or not all(isinstance(code, str) for code in given):
        raise ConfigError(f'{where}: expected a list of codes, such as ["SPS101"], not {given!r}')
    found: set[str] = set()
    for code in given:
        start = code.strip().upper()
        fitting = {known for known in CODES if known.startswith(start)} if start else set()
        fitting |= {rule.code for rule in BY_CODE.values() if rule.name == code}
        if code == "ALL":
            fitting = set(CODES)
        if not fitting:
            near = difflib.get_close_matches(code, CODES, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ConfigError(f"{where}: no rule has the code {code!r}{hint} (spawnsafe --rules)")
        found |= fitting
    return frozenset(found)


def read_settings(path: Path) -> Settings | None:
    """The settings of a pyproject.toml; None if it has none."""
    try:
        table = read_table(path.read_text(encoding="utf-8"), "tool.spawnsafe")
    except (OSError, UnicodeDecodeError, TomlError) as error:
        raise ConfigError(f"{path}: it cannot be read: {error}") from None
    return None if table is None else make_settings(table, path)


def make_settings(table: dict[str, Any], path: Path) -> Settings:
    where = f"{path}: [tool.spawnsafe]"
    for key in table:
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ConfigError(f"{where}: unknown key {key!r}{hint} (known: {', '.join(KEYS)})")
    codes = frozenset(CODES)
    if "select" in table:
        codes = expand_codes(table["select"], f"{where} select") | {UNUSED}
    if "ignore" in table:
        codes -= expand_codes(table["ignore"], f"{where} ignore")
    for key in ("frozen", "cuda"):
        if key in table and not isinstance(table[key], bool):
            raise ConfigError(f"{where} {key}: expected true or false, not {table[key]!r}")
    exclude = table.get("exclude", [])
    if not isinstance(exclude, list) or not all(isinstance(part, str) for part in exclude):
        raise ConfigError(f"{where} exclude: expected a list of patterns, not {exclude!r}")
    per_file = table.get("per-file-ignores", {})
    if not isinstance(per_file, dict):
        raise ConfigError(f"{where} per-file-ignores: expected a table, not {per_file!r}")
    return Settings(
        codes,
        tuple(exclude),
        tuple((k, expand_codes(v, f"{where} per-file-ignores")) for k, v in per_file.items()),
        table.get("frozen"),
        table.get("cuda"),
        path.parent,
    )


@cache
def settings_for(folder: Path) -> Settings:
    """The settings of the nearest pyproject.toml that has any, from a folder upwards."""
    for place in (folder, *folder.parents):
        file = place / "pyproject.toml"
        if file.is_file():
            settings = read_settings(file)
            if settings is not None:
                return settings
    return Settings(root=folder)


FREEZERS = re.compile(r"""(?im)["'\s](pyinstaller|cx[_-]freeze|nuitka|py2exe|py2app)\b""")
ANALYSIS = re.compile(r"Analysis\(\s*\[([^\]]*)\]")


@cache
def project_for(folder: Path, frozen: bool | None, cuda: bool | None) -> Project:
    """What the nearest project says about itself."""
    root = next((p for p in (folder, *folder.parents) if (p / "pyproject.toml").is_file()), None)
    root = root or next((p for p in (folder, *folder.parents) if (p / ".git").exists()), folder)
    listed = ("pyproject.toml", "requirements.txt", "requirements-dev.txt")
    declared = "".join(_read(root / name) for name in listed)
    text = declared + _read(root / "setup.py")
    entries: set[Path] = set()
    places = {root, root / "packaging", folder}
    specs = [spec for place in places if place.is_dir() for spec in place.glob("*.spec")]
    for spec in specs:
        for group in ANALYSIS.findall(_read(spec)):
            names = re.findall(r"""["']([^"']+\.pyw?)["']""", group)
            entries |= {(spec.parent / name).resolve() for name in names}
    says_frozen = bool(FREEZERS.search(text)) or bool(specs and not entries)
    return Project(
        says_frozen if frozen is None else frozen,
        frozenset(entries),
        not _takes_torch_for_cpus(declared) if cuda is None else cuda,
        "Operating System :: MacOS" in text,
    )


def _takes_torch_for_cpus(declared: str) -> bool:
    """Whether torch comes from the index for CPUs, and from no other."""
    indexes = set(re.findall(r"download\.pytorch\.org/whl/([a-z]+)", declared))
    return indexes == {"cpu"}


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
