"""Tells people what happened to a worker: which batch, which samples, which line."""

from __future__ import annotations

import faulthandler
import os
import re
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .debugging import at_timeout

if TYPE_CHECKING:
    from .pool import Task
    from .reader import Request

RUNTIME = Path(__file__).parent.name


def describe_cost(boot_cpu_s: float, memory_bytes: int | None) -> str:
    """What each worker costs, before it has loaded anything."""
    memory = f" and {memory_bytes / 1e6:,.0f} MB of memory of its own" if memory_bytes else ""
    return f"loading: a worker took {boot_cpu_s:.2f} s of processor time to start{memory}"


def describe_end(exit_code: int, stack: str, limit_s: float) -> str:
    """How a worker ended, as the end of a sentence that begins with it."""
    lines = "\n".join(relevant_lines(stack))
    where = f", here (innermost call first):\n{lines}\n" if lines else ""
    if stack.startswith("Timeout"):  # as faulthandler begins
        return f"stood still for {limit_s:g} s{where}"
    if exit_code == 0:
        return "ended by itself"
    if exit_code > 0:
        return f"ended with exit code {exit_code if exit_code < 2**31 else hex(exit_code)}{where}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = f"signal {-exit_code}"
    hint = " (when memory runs out, the system does that)" if name == "SIGKILL" else ""
    return f"was ended by {name}{hint}{where}"


def describe_failures(task: Task, seed: int) -> str:
    """Why a batch is given up, and how to see it fail alone."""
    request, key = task.request, task.request.key
    sample = f" The last time it was at sample {task.sample}." if task.sample is not None else ""
    ends = "\n".join(f"- a worker {end}" for end in task.failures)
    return (
        f"{request} cannot be loaded; it was tried {len(task.failures)} times.\n{ends}\n"
        f"Its samples are {key.indices}.{sample} To load it alone, with seed_generators of "
        f"{RUNTIME}/generators.py: seed_generators({seed}, {key.epoch}, {key.number}); "
        f"[dataset[index] for index in {key.indices}]"
    )


def end_stalled_run(request: Request) -> None:
    """End this process, whose main thread has been loading a batch for too long."""
    at_timeout("the main process")
    with tempfile.TemporaryFile("w+") as file:
        faulthandler.dump_traceback(file)
        file.seek(0)
        lines = "\n".join(relevant_lines(file.read()))
    print(
        f"error: {request} takes too long to load, in the main process. It stands here "
        f"(innermost call first):\n{lines}\nIts samples are {request.key.indices}. A larger "
        "--loader.timeout-s waits longer.",
        file=sys.stderr,
        flush=True,
    )
    os._exit(1)  # nothing else reaches a thread that may never run Python again


def relevant_lines(stack: str) -> Iterator[str]:
    """The lines of faulthandler's text that say where the data set stands, in whichever thread."""
    for thread in stack.split("\n\n"):
        lines = [line for line in thread.splitlines() if line.startswith("  File ")]
        for number, line in enumerate(lines):
            if re.search(r'(reader|ahead)\.py", line \d+ in (load|timed)$', line):
                yield from lines[:number]
                break
