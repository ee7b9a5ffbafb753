"""Runs programs in processes of their own: with a time limit, and nothing of them stays behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

WATCH_S = 0.05
"""Seconds between two looks at the processes of a child."""
END_S = 5
"""Seconds that the processes of a child have to end after it."""
SPAWNED = "--multiprocessing-fork"
"""In the command line of each worker of spawn, also in a frozen program."""
MARK = "TESTS_RUN_CHILD"
"""Environment variable that names a child: all that it starts inherits it."""


@dataclass(frozen=True)
class Ended:
    """What a child did."""

    code: int
    output: str
    """What it wrote to stdout and stderr."""
    workers: int
    """The most worker processes that were seen at the same time."""
    seen: list[str]
    """Command lines of all processes that it started, as far as they were seen."""
    left: list[str]
    """Command lines of processes that it left behind."""


def run_child(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    timeout_s: float,
    environment: Mapping[str, str | Path] | None = None,
    signal_at: tuple[str, signal.Signals] | None = None,
) -> Ended:
    """Run a program to its end and watch its processes.

    Args:
        signal_at: a text, and a signal. Once the output holds the text, the signal goes to the
            program alone, or, if it is SIGINT, to all its processes, as from Ctrl-C at a terminal.

    Raises:
        AssertionError: it took longer than `timeout_s`. All its processes are killed then.
    """
    mark = uuid.uuid4().hex
    variables = {**os.environ, "PYTHONIOENCODING": "utf-8", MARK: mark}
    variables |= {name: str(value) for name, value in (environment or {}).items()}
    with tempfile.TemporaryFile() as stream:
        child = psutil.Popen(
            [str(part) for part in command],
            cwd=cwd,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        deadline_s = time.monotonic() + timeout_s
        seen: dict[psutil.Process, str] = {}
        workers, code = 0, None
        try:
            while code is None and time.monotonic() < deadline_s:
                with contextlib.suppress(psutil.TimeoutExpired):
                    code = child.wait(WATCH_S)
                with contextlib.suppress(psutil.NoSuchProcess):
                    family = {*child.children(recursive=True), *session_of(child.pid)}
                    family |= marked_workers(mark)
                    # Again at each look, for at first a process has the line of its parent.
                    seen |= command_lines(family)
                    workers = max(workers, count_workers(family))
                if signal_at and signal_at[0].encode() in os.pread(stream.fileno(), 10**6, 0):
                    send(signal_at[1], child.pid)
                    signal_at = None
            seen |= command_lines({*session_of(child.pid), *marked_workers(mark)})
            _, alive = psutil.wait_procs(seen, timeout=END_S if code is not None else 0)
            left = list(command_lines(alive).values())
        finally:
            kill_all({*seen, child}, child.pid)
        stream.seek(0)
        output = stream.read().decode("utf-8", "replace")
    assert code is not None, f"{command} did not end within {timeout_s} s. Its output:\n{output}"
    return Ended(code, output, workers, list(seen.values()), left)


def send(number: signal.Signals, leader: int) -> None:
    """Send a signal to a program that leads a process group."""
    if number == signal.SIGINT:
        os.killpg(leader, number)
    else:
        os.kill(leader, number)


def session_of(leader: int) -> list[psutil.Process]:
    """What else runs in the session of a process, even if the process itself is gone."""
    if not hasattr(os, "getsid"):  # Windows
        return []
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(OSError):
            if process.pid != leader and os.getsid(process.pid) == leader:
                found.append(process)
    return found


def marked_workers(mark: str) -> set[psutil.Process]:
    """Workers of a child that are neither below it nor in its session: those of Wine."""
    found = set()
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if SPAWNED in command_line(process) and process.environ().get(MARK) == mark:
                found.add(process)
    return found


def command_lines(processes: Iterable[psutil.Process]) -> dict[psutil.Process, str]:
    """The command line of each process that is not gone."""
    return {process: line for process in processes if (line := command_line(process))}


def command_line(process: psutil.Process) -> str:
    """The command line of a process; empty if it is gone, or dead and only not collected yet."""
    try:
        return " ".join(process.cmdline()) if process.status() != psutil.STATUS_ZOMBIE else ""
    except psutil.Error:
        return ""


def count_workers(family: Iterable[psutil.Process]) -> int:
    """How many of these processes are workers of multiprocessing."""
    count = 0
    for process in family:
        command = command_line(process)
        if SPAWNED in command:
            count += 1
        elif "multiprocessing.forkserver" in command:  # the server, or a worker: forked from it
            with contextlib.suppress(psutil.Error):
                parent = process.parent()
                is_child = parent is not None and "multiprocessing.forkserver" in command_line(
                    parent
                )
                # The server tries an import in a copy of itself, which has a name of its own.
                count += is_child and process.name() != "import-trial"
    return count


def kill_all(processes: Iterable[psutil.Process], group: int) -> None:
    """Kill processes, and on systems that have them the whole process group."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.kill()
