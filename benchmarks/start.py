"""From the start of a program to the first batch of a worker, and to that of a second loader.

Each side is a program of its own, which imports torch and the project's data set and asks for a
first batch, then for that of a second loader. `python -m benchmarks.start` is that program.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from .child import answer, ask_one, question
from .measuring import rounded, spread, take_turns
from .page import Bar, Block, Table, cell
from .plots import Plot
from .rendered import Bench, part, start_method, use_project

SIDES = {
    "torch, fork": "torch's loader, fork",
    "torch, spawn": "torch's loader, spawn",
    "torch, forkserver": "torch's loader, fork server as Python starts it",
    "project, forkserver": "the project, its warm fork server",
    "project, spawn": "the project, spawn",
}
WORKERS = (1, 2, 4)
ROUNDS = 3
BATCH_SIZE = 64
BAR = 1.3


def measure(bench: Bench) -> list[dict[str, Any]]:
    """Seconds to the first batch of a first and of a second loader, by workers and side."""
    project = str(bench.project())
    workers = WORKERS[:1] if bench.quick else WORKERS
    sides = [(count, side) for count in workers for side in SIDES]
    if bench.quick:
        sides = [(1, "torch, fork"), (1, "project, forkserver")]

    def start(counted: tuple[int, str]) -> list[float]:
        count, side = counted
        asked = {"project": project, "side": side, "workers": count, "started_s": time.time()}
        seconds: list[float] = ask_one("start", asked)
        print(count, side, seconds, flush=True)
        return seconds

    found = take_turns(sides, bench.rounds(ROUNDS), start)
    return [
        {
            "workers": count,
            "side": side,
            "first": [first for first, _ in seconds],
            "second": [second for _, second in seconds],
        }
        for (count, side), seconds in found.items()
    ]


def present(result: list[dict[str, Any]]) -> list[Block]:
    """A table, a plot, and the bars."""
    fork_s = {
        row["workers"]: spread(row["first"]).median
        for row in result
        if row["side"] == "torch, fork"
    }
    rows, bars, plotted = [], [], []
    for row in result:
        first, second = spread(row["first"]), spread(row["second"])
        times = first.median / fork_s[row["workers"]]
        count = f"{row['workers']} worker{'s' * (row['workers'] > 1)}"
        name = f"{count}: {SIDES[row['side']]}"
        rows.append([name, cell(first), f"{times:.2f}", cell(second)])
        plotted.append((name, {"first loader": first, "second loader": second}))
        if row["side"] == "project, forkserver":
            bars.append(Bar(f"{count}, the project's start beside fork's", BAR, times))
    return [
        "Seconds from the start of Python to the first batch of a loader, the import of torch "
        "included; and those in which a second loader of the same program has its first batch. "
        "Fork is there to be compared with: the project never uses it. The number of workers is "
        "fixed; by default the project would not wait for them, and would load the first batches "
        "itself.",
        Table(["seconds", "first loader", "times fork", "second loader"], rows),
        *bars,
        Plot("start", "From the start to the first batch of workers", "seconds", plotted, False),
    ]


def main() -> None:
    """Ask two loaders for a batch each."""
    asked = question()
    name, _, method = asked["side"].partition(", ")
    is_warm = asked["side"] == "project, forkserver"
    use_project(asked["project"], warm=is_warm)
    load = load_with_project if name == "project" else load_with_torch
    import torch.utils.data  # noqa: F401  # a program that trains has it anyway

    dataset = part("data").make_dataset(Path(asked["project"], "data"), "train", augment=True)
    times_s = [asked["started_s"]]
    for _ in range(2):
        times_s.append(load(dataset, method, asked["workers"]))
    answer([rounded(after - before) for before, after in zip(times_s, times_s[1:], strict=False)])


def load_with_project(dataset: Any, method: str, workers: int) -> float:
    """When the first batch is there."""
    with part("runtime.loader").BatchLoader(
        {"train": dataset},
        BATCH_SIZE,
        start_method=start_method(method),
        num_workers=workers,
        tell=str,
    ) as loader:
        next(loader.epoch("train", 0))
        return time.time()


def load_with_torch(dataset: Any, method: str, workers: int) -> float:
    """When the first batch is there."""
    from torch.utils.data import DataLoader

    loader = DataLoader(dataset, BATCH_SIZE, num_workers=workers, multiprocessing_context=method)
    batches = iter(loader)
    next(batches)
    return time.time()


if __name__ == "__main__":
    main()
