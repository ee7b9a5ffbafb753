"""The project that is measured: one with default answers."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def render_project() -> Path:
    """Render a project into a new folder."""
    from copier import run_copy

    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    answers = {"package_name": "measured"}
    run_copy(str(ROOT), folder, vcs_ref="HEAD", defaults=True, quiet=True, data=answers)
    return folder


def import_project(folder: Path) -> str:
    """Make a rendered project importable; returns the name of its package."""
    sys.path.insert(0, str(folder / "src"))
    return next((folder / "src").glob("*/__main__.py")).parent.name
