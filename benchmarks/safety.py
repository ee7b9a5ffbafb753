"""What supervised, seeded, keyed batches cost beside a bare DataLoader with the same workers.

Both loaders live in one process and load epochs in turn, a second or less each; the ratio of two
epochs that follow each other is what counts, so that even a machine whose speed drifts says the
truth. Workers have started before. `python -m benchmarks.safety` is that process.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from .child import answer, ask_one, question
from .measuring import Spread, rounded, spread
from .page import Bar, Block, Table, cell
from .plots import Plot
from .rendered import Bench, held_loader, use_project

BATCHES = {0.1: 2000, 1.0: 300, 10.0: 40, 100.0: 6}
"""Batches in an epoch, by the milliseconds in which a bare loader without workers loads one."""
WORKERS = (0, 1, 2)
BATCH_SIZE = 4
ROUNDS = 11
BARS = {1.0: 1.05, 10.0: 1.01, 100.0: 1.01}
"""The most that a batch may take, times a bare one."""


def measure(bench: Bench) -> list[dict[str, Any]]:
    """Seconds of epochs, in pairs, by number of workers and length of a batch."""
    found = []
    for workers in WORKERS[1:2] if bench.quick else WORKERS:
        for batch_ms, batches in BATCHES.items():
            if bench.quick and batch_ms != 1:
                continue
            asked = {
                "project": str(bench.project()),
                "workers": workers,
                "batch_ms": batch_ms,
                "batches": max(2, batches // 10) if bench.quick else batches,
                "rounds": bench.rounds(ROUNDS),
            }
            seconds = ask_one("safety", asked)
            found.append({**{k: v for k, v in asked.items() if k != "project"}, **seconds})
            print(f"{workers} workers, {batch_ms:g} ms: {ratio(found[-1]).median:.3f}", flush=True)
    return found


def ratio(row: dict[str, Any]) -> Spread:
    """A safe epoch, times the bare one beside it."""
    return spread([safe / bare for bare, safe in zip(row["bare"], row["safe"], strict=True)])


def present(result: list[dict[str, Any]]) -> list[Block]:
    """A table, a plot, and the bars."""
    rows, bars = [], []
    plotted: dict[float, dict[str, Spread]] = {}
    for row in result:
        found, batch_ms = ratio(row), row["batch_ms"]
        workers = f"{row['workers']} worker{'s' * (row['workers'] != 1)}"
        extra_us = [
            (safe - bare) / row["batches"] * 1e6
            for bare, safe in zip(row["bare"], row["safe"], strict=True)
        ]
        per_s = [
            row["batches"] / s for s in (spread(row["bare"]).median, spread(row["safe"]).median)
        ]
        rows.append(
            [
                f"{workers}, {batch_ms:g} ms",
                *(f"{value:,.0f}" for value in per_s),
                cell(found),
                cell(spread(extra_us), " us"),
            ]
        )
        plotted.setdefault(batch_ms, {})[workers] = found
        if batch_ms in BARS:
            bars.append(Bar(f"{workers}, batches of {batch_ms:g} ms", BARS[batch_ms], found.median))
    header = ["", "bare, batches/s", "safe, batches/s", "time safe / bare", "more for a batch"]
    return [
        "Both loaders with the same data set, whose samples compute in Python, and the same "
        f"number of workers, {BATCH_SIZE} samples in a batch: torch's DataLoader as it is, with "
        "workers kept, and the project's, which seeds three generators for each batch, gives it "
        "a key, watches its worker, and can load it again. Epochs in turn; starts do not count. "
        "0 workers: both load in the main process.",
        Table(header, rows),
        *bars,
        Plot(
            "safety",
            "What safety costs, by what a batch takes to load",
            "time of the safe loader, times the bare one",
            [(f"{batch_ms:g} ms", dots) for batch_ms, dots in plotted.items()],
            logarithmic=False,
            mark=1.0,
        ),
    ]


def main() -> None:
    """Load epochs in turn with both loaders."""
    asked = question()
    use_project(asked["project"])
    from torch.utils.data import DataLoader

    from .workloads import SplitSamples, Workload

    workers, batch_ms = asked["workers"], asked["batch_ms"]
    idle = DataLoader(SplitSamples(Workload("idle", batch_size=BATCH_SIZE), 2000), BATCH_SIZE)
    overhead_ms = min(epoch_s(idle) for _ in range(3)) / len(idle) * 1e3
    compute_ms = max(0.0, batch_ms - overhead_ms) / BATCH_SIZE
    workload = Workload("safety", batch_size=BATCH_SIZE, compute_ms=compute_ms)
    dataset = SplitSamples(workload, asked["batches"])
    options: dict[str, Any] = {}
    if workers:
        options = {"multiprocessing_context": "forkserver", "persistent_workers": True}
    bare = DataLoader(dataset, BATCH_SIZE, num_workers=workers, **options)
    seconds: dict[str, list[float]] = {"bare": [], "safe": []}
    with held_loader(dataset, BATCH_SIZE, workers) as loader:
        for number in range(asked["rounds"] + 1):
            sides = [("bare", bare), ("safe", loader.epoch("train", number))]
            for side, batches in sides if number % 2 else reversed(sides):
                seconds[side].append(epoch_s(batches))
    # The first round starts the workers.
    answer({side: [rounded(value) for value in values[1:]] for side, values in seconds.items()})


def epoch_s(batches: Iterable[Any]) -> float:
    """Seconds that all of them take."""
    started_s = time.perf_counter()
    for _ in batches:
        pass
    return time.perf_counter() - started_s


if __name__ == "__main__":
    main()
