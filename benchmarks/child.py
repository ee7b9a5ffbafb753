"""Programs that are measured: each is a process of its own, with a time limit.

The parent asks a module a question, `ask("jobs", {...})`; the module reads it with `question()` and
prints answers with `answer(...)`. All of them are plain values.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
"""The repository."""
MARK = "@answer "
PROBLEM_LENGTH = 200


class Answers(NamedTuple):
    """What a program said before its end."""

    values: list[Any]
    problem: str | None
    """What went wrong, if anything did; the answers before it count all the same."""


def ask(module: str, asked: Mapping[str, Any], *, timeout_s: float = 300.0) -> Answers:
    """Run `python -m benchmarks.MODULE` and collect its answers."""
    command = [sys.executable, "-W", "ignore", "-m", f"{__package__}.{module}", json.dumps(asked)]
    problem = None
    # Files, not pipes: what a program leaves behind would hold the other end of a pipe.
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        try:
            child.wait(timeout_s)
        except subprocess.TimeoutExpired:
            problem = f"did not end within {timeout_s:g} s"
        finally:
            end_group(child)
        output.seek(0)
        errors.seek(0)
        lines, said = output.read().splitlines(), errors.read().strip()
    values = [json.loads(line.removeprefix(MARK)) for line in lines if line.startswith(MARK)]
    if child.returncode and not problem:
        last = said.splitlines()[-1] if said else "no message"
        problem = f"exit code {child.returncode}: {last[:PROBLEM_LENGTH]}"
    return Answers(values, problem)


def ask_one(module: str, asked: Mapping[str, Any], *, timeout_s: float = 300.0) -> Any:
    """The only answer of a program that must not fail.

    Raises:
        RuntimeError: it failed, or gave no answer.
    """
    values, problem = ask(module, asked, timeout_s=timeout_s)
    if problem or len(values) != 1:
        raise RuntimeError(f"benchmarks.{module}, asked {dict(asked)}: {problem or values}")
    return values[0]


def question() -> dict[str, Any]:
    """What this program was asked."""
    asked: dict[str, Any] = json.loads(sys.argv[1])
    return asked


def answer(value: Any) -> None:
    """Answer; may be called several times."""
    print(f"{MARK}{json.dumps(value)}", flush=True)


def end_group(child: subprocess.Popen[Any]) -> None:
    """Kill a program, and what it has started, also if it has ended itself."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()
    child.wait()
