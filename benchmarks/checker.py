"""How long spawnsafe takes beside TorchFix and ruff, on the same files, in one run.

python benchmarks/checker.py FOLDER checks the Python files below a folder on one processor: with
spawnsafe without its cache, with ruff, and with TorchFix if it is installed. What parsing alone takes
is measured too. TorchFix takes minutes: --torchfix-limit-s ends it early, and then the time is the
least that it takes.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def measure(command: list[str], limit_s: float) -> tuple[float, bool]:
    """The seconds a command takes on this processor, and whether it came to its end."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "hooks")}
    start = time.perf_counter()
    try:
        subprocess.run(command, env=environment, capture_output=True, timeout=limit_s)
    except subprocess.TimeoutExpired:
        return limit_s, False
    return time.perf_counter() - start, True


def parse_all(files: list[Path]) -> float:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for file in files:
            ast.parse(file.read_bytes())
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare spawnsafe with TorchFix and ruff.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--torchfix", default=shutil.which("torchfix"), help="its command")
    parser.add_argument("--torchfix-limit-s", type=float, default=1800.0)
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    files = sorted(options.folder.rglob("*.py"))
    lines = sum(file.read_bytes().count(b"\n") for file in files)
    folder = str(options.folder)
    own = [sys.executable, "-m", "spawnsafe", "--no-cache", "--jobs", "1", folder]
    ruff = [sys.executable, "-m", "ruff", "check", "--no-cache", "--isolated", "--select", "ALL"]
    print(f"{len(files)} files, {lines} lines, one processor, best of {options.repeats}")
    print(f"parsing alone       {min(parse_all(files) for _ in range(options.repeats)):8.2f} s")
    seconds = min(measure(own, 600)[0] for _ in range(options.repeats))
    print(f"spawnsafe           {seconds:8.2f} s")
    ruff_s = min(measure([*ruff, folder], 600)[0] for _ in range(options.repeats))
    print(f"ruff, all rules     {ruff_s:8.2f} s")
    if options.torchfix:
        command = [options.torchfix, "--select=ALL", folder]
        torchfix_s, ended = measure(command, options.torchfix_limit_s)
        least = "" if ended else "at least "
        print(f"TorchFix, all rules {torchfix_s:8.2f} s, {least}{torchfix_s / seconds:.0f} times")


if __name__ == "__main__":
    main()
