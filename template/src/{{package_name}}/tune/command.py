"""Measures, draws and says what came of it, and saves the best setup if that is wanted."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from rich.console import Console

from ..config import TrainConfig
from ..runtime.errors import ProjectError
from ..runtime.program import PROGRAM
from ..runtime.ranks import read_ranks
from .chart import bars, draw_png
from .findings import Findings, conclude
from .saved import SAVED, save
from .trials import measure


def tune(config: TrainConfig, seconds: float, picture: Path, *, wants_save: bool) -> int:
    """Try setups for a time; returns the exit code.

    Ctrl-C ends it with what was measured so far.
    """
    if read_ranks().are_many:
        raise ProjectError("tune measures for one process: start it without torchrun.")
    findings, console, code = Findings(), Console(highlight=False), 0

    def line(text: str) -> None:
        console.print(text, markup=False, soft_wrap=True)

    line(f"training for {seconds:g} s in different ways; nothing of it is kept")
    try:
        measure(config, findings, seconds, line)
    except KeyboardInterrupt:
        line("stopped; this was measured so far:")
        code = 128 + signal.SIGINT
    line("")
    for bar in bars(findings, console.width, "#" if console.options.ascii_only else "█"):
        line(bar)
    line("")
    for sentence in [*conclude(findings), *findings.notes]:
        line(sentence)
    if findings.measured:
        line(draw_png(findings, picture))
    if wants_save and findings.best and not code:
        save(findings.best.setup, os.cpu_count())
        line(f"{SAVED} has {findings.best.setup}: {PROGRAM} train takes it from here on")
    return code
