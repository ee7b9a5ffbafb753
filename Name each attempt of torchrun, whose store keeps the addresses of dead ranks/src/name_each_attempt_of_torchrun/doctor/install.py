"""Is everything installed? Needs the standard library alone, for cli.py cannot be imported if not."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from .check import Check

MODULES = (
    "loky",
    "numpy",
    "psutil",
    "rich",
    "threadpoolctl",
    "tomli_w",
    "torch",
    "tyro",
)
"""What the project imports, and pyproject.toml names."""


def missing_modules() -> list[str]:
    """Those that this Python cannot find."""
    return [name for name in MODULES if find_spec(name) is None]


def check_packages(missing: Sequence[str]) -> Check:
    """All should be there; one that is there may still be broken."""
    if missing:
        sentence = f"this Python ({sys.executable}) lacks {', '.join(missing)}"
        cure = "Activate the project's environment, or install into this one: "
        return Check("packages", "fault", sentence, f'{cure}python -m pip install -e ".[dev]"')
    return Check("packages", "ok", f"all {len(MODULES)} that the project imports are there")


def report_broken_install(error: ImportError, *, as_json: bool) -> int:
    """Print what can be said where the program cannot be imported; returns the exit code 1."""
    found = check_packages(missing_modules())
    if found.state == "ok":
        sentence = f"{error.name or 'a package'} is there, and broken: {error}"
        cure = "Install it anew: python -m pip install --force-reinstall NAME"
        found = Check("packages", "fault", sentence, cure)
    checks = [Check("python", "ok", f"Python {platform.python_version()}: {sys.executable}"), found]
    if as_json:
        print(json.dumps([check.as_dict() for check in checks], indent=2))
        return 1
    for check in checks:
        print(f"{check.state:<8} {check.id:<17} {check.sentence}")
    print(f"{'':26} cure: {found.cure}\n{'':26} more: {found.page}")
    return 1
