"""From the start of a program to the first batch that a worker loaded: the project beside torch.

Renders a project with default answers. Each side is a program of its own, which imports torch and
the project's data set and asks for a first batch, then for that of a second loader: one with the
project's loader, the others with torch's DataLoader and a start method. All sides run in turn,
several times; medians count. Run it with `nox -s bench -- start`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rendered import import_project, render_project

SIDES = ("fork", "forkserver", "spawn", "project, forkserver", "project, spawn")
WORKERS = (1, 2, 4)


def first_batches(side: str, workers: int, package: str, started_s: float) -> list[float]:
    """Seconds from the start of this program to a first batch, and those that a second took.

    Args:
        started_s: when this program was started, by time.time().
    """
    name, _, method = side.rpartition(", ")
    if side == "project, forkserver":  # the other would be spawn's price, and a fork server's too
        importlib.import_module(f"{package}.runtime.start").prepare_workers()
    import torch.utils.data

    data = importlib.import_module(f"{package}.data")
    folder = Path(str(data.__file__)).parents[2] / "data"
    dataset = data.make_dataset(folder, "train", augment=True)
    times_s = [started_s]
    for _ in range(2):
        if name:
            start = importlib.import_module(f"{package}.runtime.start").StartMethod
            module = importlib.import_module(f"{package}.runtime.loader")
            options = {"start_method": start(method, "it is measured"), "num_workers": workers}
            with module.BatchLoader({"train": dataset}, 64, tell=str, **options) as loader:
                next(loader.epoch("train", 0))
                times_s.append(time.time())
        else:
            loader = torch.utils.data.DataLoader(
                dataset, 64, num_workers=workers, multiprocessing_context=method
            )
            batches = iter(loader)
            next(batches)
            times_s.append(time.time())
            del batches
    return [after - before for before, after in zip(times_s, times_s[1:], strict=False)]


def run_side(side: str, workers: int, folder: Path) -> list[float]:
    """Run a side in a program of its own."""
    program = [sys.executable, "-W", "ignore", __file__, "--project", str(folder)]
    ended = subprocess.run(
        [*program, "--side", side, "--workers", str(workers), "--started-s", str(time.time())],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    seconds: list[float] = json.loads(ended.stdout.splitlines()[-1])
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--workers", type=int, nargs="+", default=WORKERS)
    parser.add_argument("--project", type=Path, help="a rendered project, instead of a new one")
    parser.add_argument("--side", choices=SIDES, help="run only that, in this process")
    parser.add_argument("--started-s", type=float, help="when this process was started")
    arguments = parser.parse_args()
    folder = arguments.project or render_project()
    package = import_project(folder)
    if arguments.side:
        found = first_batches(
            arguments.side, arguments.workers[0], package, arguments.started_s or time.time()
        )
        print(json.dumps(found))
        return
    print(f"{'':<24}{'first batch':>14}{'beside fork':>14}{'second loader':>16}")
    for workers in arguments.workers:
        seconds: dict[str, list[Any]] = {side: [] for side in SIDES}
        for _ in range(arguments.repeats):
            for side in SIDES:
                seconds[side].append(run_side(side, workers, folder))
        fork_s = statistics.median(first for first, _ in seconds["fork"])
        print(f"{workers} worker{'s' * (workers > 1)}")
        for side, values in seconds.items():
            first_s, second_s = (statistics.median(column) for column in zip(*values, strict=True))
            print(f"  {side:<22}{first_s:>12.2f} s{first_s / fork_s:>14.2f}{second_s:>14.2f} s")


if __name__ == "__main__":
    main()
