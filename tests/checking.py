"""Calls spawnsafe as a command, in this process, on files that are written for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spawnsafe.cli import main

UNSAFE = (
    "from torch.utils.data import DataLoader\n"
    "for batch in DataLoader([1, 2], num_workers=2):\n"
    "    print(batch)\n"
)
SAFE = "print('nothing')\n"


def write(name: str, content: str | bytes) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main([*arguments, "--no-cache"])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def notebook(*cells: str, **metadata: object) -> str:
    made = [{"cell_type": "code", "source": cell, "metadata": {}} for cell in cells]
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})
