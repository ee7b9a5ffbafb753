"""Asks a question in a process of its own, with a time limit: it may crash, hang or lack a library."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from ..runtime.program import own_command

PROBE = "doctor-probe"
"""The hidden command of this program that answers a question."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Variables for a child that looks for threads: numpy's BLAS starts some of its own otherwise."""
SPARE_S = 5.0
"""Seconds that a child has beyond its limit, to say where it stands."""


class Outcome(NamedTuple):
    """What became of a question."""

    result: Any
    """The answer; None if the child did not get that far."""
    output: str
    """What it printed."""
    in_time: bool


def ask(
    question: str, limit_s: float, environment: Mapping[str, str] | None = None, **options: Any
) -> Outcome:
    """Have a child answer a question; nothing of it is left afterwards.

    Args:
        question: one of those in probe.py, which takes the options.
        environment: variables for the child, besides those of this process.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        answer, output = Path(folder, "answer.json"), Path(folder, "output.txt")
        options = {name: str(v) if isinstance(v, Path) else v for name, v in options.items()}
        command = [*own_command(), PROBE, question, str(answer), str(limit_s), json.dumps(options)]
        with output.open("wb") as file:
            variables = {**os.environ, **(environment or {})}
            in_time = run(command, variables, file.fileno(), limit_s + SPARE_S)
        text = output.read_text(encoding="utf-8", errors="replace")
        try:
            result = json.loads(answer.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # it ended before
            result = None
    return Outcome(result, text, in_time)


def run(
    command: Sequence[str], environment: Mapping[str, str], output: int, limit_s: float
) -> bool:
    """Run a command; returns whether it ended in time. Ends it, and all that it started."""
    process = psutil.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
    )
    family: list[psutil.Process] = [process]
    try:
        # Looked for at the end as well: helpers of multiprocessing may outlive their parent.
        process.wait(limit_s)
        return True
    except psutil.TimeoutExpired:
        return False
    finally:
        with contextlib.suppress(psutil.Error):
            family += process.children(recursive=True)
        for member in family:
            with contextlib.suppress(psutil.Error):
                member.kill()
        psutil.wait_procs(family, timeout=SPARE_S)
