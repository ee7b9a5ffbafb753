"""How this program is started: by people, and once more by itself."""

from __future__ import annotations

import sys
from pathlib import Path

PACKAGE = __name__.partition(".")[0]
PROGRAM = f"python -m {PACKAGE}"
"""What people type before the name of a command."""


def own_command() -> list[str]:
    """Starts this program once more, wherever it is installed."""
    return [sys.executable, str(Path(__file__).resolve().parents[1] / "__main__.py")]
