"""Total time of whole jobs: the automatic loader beside fixed numbers of workers.

Renders a project with default answers and imports its loader. The fixed numbers are given to torch's
own DataLoader, with persistent workers. All sides of a workload run in turn, several times; medians
count. Run it with `nox -s bench -- workers`, on a machine that has nothing else to do.
"""

from __future__ import annotations

import argparse
import importlib
import math
import statistics
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from rendered import import_project, render_project
from torch.utils.data import DataLoader, Dataset

METHODS = ("forkserver", "spawn")
FIXED = (0, 1, 2, 4, 8)


@dataclass(frozen=True)
class Workload:
    """A job: so many batches, and what a sample and a step cost, in milliseconds."""

    name: str
    batches: int
    batch_size: int = 32
    compute_ms: float = 0.0
    wait_ms: float = 0.0
    step_ms: float = 0.0
    """Computing of the step on the CPU."""
    device_ms: float = 0.0
    """Time in which the step waits for a device."""
    numbers: int = 64
    """float32 in a sample."""
    split: bool = True
    """Whether the data set has read and prepare."""


WORKLOADS = [
    # To make the loader takes some 10 ms, and no worker: what is over in less than 0.1 s is no job.
    Workload("tiny, short", 400, 64),
    Workload("tiny, long", 2500, 64),
    Workload("20 us, light step", 600, 64, compute_ms=0.02, step_ms=0.5),
    Workload("0.2 ms", 400, compute_ms=0.2),
    Workload("1 ms", 200, compute_ms=1, step_ms=2),
    Workload("5 ms, short", 20, 16, compute_ms=5),
    Workload("5 ms, long", 120, 16, compute_ms=5, step_ms=5),
    Workload("wait 1 ms", 150, wait_ms=1),
    Workload("wait 3 ms, light step", 60, wait_ms=3, step_ms=2),
    Workload("wait 20 ms", 20, 16, wait_ms=20),
    Workload("mixed: wait 3 ms, 0.5 ms", 80, wait_ms=3, compute_ms=0.5),
    Workload("heavy step", 120, compute_ms=0.3, step_ms=20),
    Workload("device step", 120, compute_ms=0.5, device_ms=20),
    Workload("large samples", 80, 16, compute_ms=0.3, step_ms=3, numbers=3 * 224 * 224),
    Workload("wait 3 ms, only __getitem__", 60, wait_ms=3, split=False),
]


def compute(milliseconds: float) -> None:
    """Use that much processor time."""
    end_s = time.thread_time() + milliseconds / 1e3
    while time.thread_time() < end_s:
        pass


class Samples(Dataset[torch.Tensor]):
    """Samples that take what the workload says."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload

    def __len__(self) -> int:
        return self.workload.batches * self.workload.batch_size

    def __getitem__(self, index: int) -> torch.Tensor:
        if self.workload.wait_ms:
            time.sleep(self.workload.wait_ms / 1e3)
        if self.workload.compute_ms:
            compute(self.workload.compute_ms)
        return torch.full((self.workload.numbers,), float(index))


class SplitSamples(Samples):
    """The same, with reading and preparing told apart."""

    def read(self, index: int) -> int:
        if self.workload.wait_ms:
            time.sleep(self.workload.wait_ms / 1e3)
        return index

    def prepare(self, raw: int) -> torch.Tensor:
        if self.workload.compute_ms:
            compute(self.workload.compute_ms)
        return torch.full((self.workload.numbers,), float(raw))

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.prepare(self.read(index))


def make(workload: Workload) -> Samples:
    return SplitSamples(workload) if workload.split else Samples(workload)


def consume(batches: Iterable[Any], workload: Workload) -> None:
    """Train, as far as the loader can tell."""
    count = 0
    for batch in batches:
        count += len(batch)
        if workload.step_ms:
            compute(workload.step_ms)
        if workload.device_ms:
            time.sleep(workload.device_ms / 1e3)
    assert count == workload.batches * workload.batch_size


def fixed_s(workload: Workload, workers: int, method: str) -> float:
    """Seconds with a torch DataLoader and a fixed number of workers."""
    options: dict[str, Any] = {}
    if workers:
        options = {"multiprocessing_context": method, "persistent_workers": True}
    start_s = time.perf_counter()
    loader = DataLoader(make(workload), workload.batch_size, num_workers=workers, **options)
    consume(loader, workload)
    del loader
    return time.perf_counter() - start_s


def automatic_s(workload: Workload, method: str, package: str, verbose: bool) -> float:
    """Seconds with the project's loader."""
    loader_module = importlib.import_module(f"{package}.runtime.loader")
    start = importlib.import_module(f"{package}.runtime.start").StartMethod
    start_s = time.perf_counter()
    with loader_module.BatchLoader(
        {"samples": make(workload)},
        workload.batch_size,
        start_method=start(method, "it is measured"),
        tell=lambda text: print(f"    {text}", flush=True) if verbose else None,
    ) as loader:
        consume(loader.epoch("samples", 0), workload)
    return time.perf_counter() - start_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    parser.add_argument("--only", default="", help="part of the names of the workloads")
    parser.add_argument("--fixed", type=int, nargs="*", default=FIXED, help="fixed numbers")
    parser.add_argument("--project", type=Path, help="a rendered project, instead of a new one")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    folder = arguments.project or render_project()
    package = import_project(folder)
    importlib.import_module(f"{package}.runtime.start").prepare_workers()
    warm_up = Workload("warm-up", 2, 2)
    ratios: dict[str, list[float]] = {}
    fixed = arguments.fixed
    for method in arguments.methods:
        fixed_s(warm_up, 1, method)
        print(
            f"\n{method:<28} {'auto':>7} "
            + " ".join(f"{count:>7}" for count in fixed)
            + "   auto/best"
        )
        for workload in WORKLOADS:
            if arguments.only not in workload.name:
                continue
            seconds: dict[Any, list[float]] = {"auto": [], **{count: [] for count in fixed}}
            for _ in range(arguments.repeats):
                seconds["auto"].append(automatic_s(workload, method, package, arguments.verbose))
                for count in fixed:
                    seconds[count].append(fixed_s(workload, count, method))
            medians = {side: statistics.median(values) for side, values in seconds.items()}
            best = min((medians[count] for count in fixed), default=math.nan)
            ratios.setdefault(method, []).append(medians["auto"] / best)
            row = " ".join(f"{value:>7.2f}" for value in medians.values())
            print(f"{workload.name:<28} {row}   {ratios[method][-1]:.2f}", flush=True)
    for method, values in ratios.items():
        mean = math.exp(statistics.mean(map(math.log, values)))
        print(f"{method}: geometric mean of auto/best {mean:.2f}, worst {max(values):.2f}")


if __name__ == "__main__":
    main()
