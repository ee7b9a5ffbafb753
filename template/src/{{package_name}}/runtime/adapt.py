"""Chooses how to load from what was measured: threads that read ahead, and worker processes.

Reading mostly waits, and threads wait just as well as processes, at no cost. Computing needs
processes, each of which costs a start. Pure functions: any machine can be tested on any other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

THREAD_COUNTS = (0, 4, 16, 32)
"""Reading threads to choose from, in the main process or in each worker."""
THREADED_READ_CPU_S = 40e-6
"""What it takes to have a thread read one sample: two switches between threads (measured)."""
HAND_OVER_S = 0.3e-3
"""What a batch costs on its way from a worker, besides its bytes (measured: 0.2 to 0.4 ms)."""
BYTES_PER_S = 1e9
"""How fast bytes come from a worker (measured: 0.5 to 2 GB/s)."""
ABOUT_EQUAL = 1.1
"""Measurements are no better than that: a change must save more than this ratio."""
WORTH_MORE = 1.05
"""Among setups to change to, one of more workers or threads must save more than this ratio."""
ONLY_WAITS = 0.05
"""Reading of which computing is a smaller share than this needs threads, and never a process."""
WORKERS_SAVE_S = 0.1
"""What new workers must save at least: their end takes a moment too."""


class Setup(NamedTuple):
    """How batches are loaded."""

    threads: int
    """Threads that read ahead, in the main process or in each worker."""
    workers: int
    """Worker processes; without any, the main process loads."""

    def __str__(self) -> str:
        threads = f"{self.threads} reading threads" if self.threads else ""
        if not self.workers:
            return f"the main process with {threads}" if threads else "the main process"
        workers = f"{self.workers} worker{'s' * (self.workers > 1)}"
        return f"{workers} with {threads} each" if threads else workers


@dataclass(frozen=True)
class Measured:
    """Seconds per batch, on average, and what else the choice depends on."""

    read_wait_s: float
    read_cpu_s: float
    prepare_wait_s: float
    prepare_cpu_s: float
    step_s: float
    """What the loop does with a batch."""
    step_cpu_s: float
    """Processor time of that, on all processors together."""
    samples: float
    """In a batch."""
    batch_bytes: float
    boot_cpu_s: float
    """Processor time that a worker takes to start."""
    batches_left: int

    @property
    def wait_s(self) -> float:
        return self.read_wait_s + self.prepare_wait_s

    @property
    def cpu_s(self) -> float:
        return self.read_cpu_s + self.prepare_cpu_s


def predict_s(setup: Setup, measured: Measured, cpus: int, running: int = 0) -> float:
    """Seconds that the batches left will take.

    Args:
        running: workers that have started already.
    """
    batch_before_s = batch_s(Setup(setup.threads, running), measured, cpus)
    batch_after_s = batch_s(setup, measured, cpus)
    new = max(0, setup.workers - running)
    if not new:
        return measured.batches_left * batch_after_s
    # Workers start one after the other, beside the main process, which goes on meanwhile. Where
    # there are fewer processors than busy processes, all of them take longer.
    crowd = max(1.0, 2 / cpus)
    boot_s = new * measured.boot_cpu_s * crowd
    done = boot_s / (batch_before_s * crowd)
    if done >= measured.batches_left:
        return measured.batches_left * batch_before_s * crowd + measured.boot_cpu_s
    return boot_s + (measured.batches_left - done) * batch_after_s


def batch_s(setup: Setup, measured: Measured, cpus: int) -> float:
    """Seconds from batch to batch, once all is running."""
    threads, workers = setup
    cpu_s = measured.cpu_s
    if threads:
        cpu_s += measured.samples * THREADED_READ_CPU_S
        load_s = max(measured.read_wait_s / threads, cpu_s + measured.prepare_wait_s)
    else:
        load_s = cpu_s + measured.wait_s
    if not workers:
        if threads:  # they read on during the step
            return max(
                measured.read_wait_s / threads, cpu_s + measured.prepare_wait_s + measured.step_s
            )
        return load_s + measured.step_s
    hand_over_s = HAND_OVER_S + measured.batch_bytes / BYTES_PER_S
    return max(
        measured.step_s + hand_over_s,
        (load_s + hand_over_s) / workers,
        (cpu_s + 2 * hand_over_s + measured.step_cpu_s) / cpus,
    )


def choose_setup(
    measured: Measured,
    *,
    cpus: int,
    max_workers: int,
    thread_counts: Sequence[int],
    current: Setup,
    is_fixed: bool = False,
) -> Setup:
    """The setup that ends soonest; one with fewer workers, then threads, if it is nearly as good."""
    worker_counts = range(max_workers if is_fixed else 0, max_workers + 1)
    no_read_s = measured.cpu_s + measured.prepare_wait_s  # which threads cannot shorten
    if not is_fixed and max(thread_counts) and no_read_s < ONLY_WAITS * measured.read_wait_s:
        worker_counts = worker_counts[:1]
    setups = [Setup(threads, workers) for workers in worker_counts for threads in thread_counts]
    seconds = {setup: predict_s(setup, measured, cpus, current.workers) for setup in setups}
    if not is_fixed:  # else workers are no choice
        as_now = {setup: seconds[setup] for setup in setups if setup.workers <= current.workers}
        if min(as_now.values()) <= ABOUT_EQUAL * (min(seconds.values()) + WORKERS_SAVE_S):
            seconds = as_now
    fastest_s = min(seconds.values())
    if seconds.get(current, math.inf) <= ABOUT_EQUAL * fastest_s:
        return current
    return next(setup for setup, left_s in seconds.items() if left_s <= WORTH_MORE * fastest_s)


def explain(setup: Setup, measured: Measured) -> str:
    """One line for people: what was chosen, and the measurements behind it."""
    return (
        f"loading: {setup} from here on (a batch takes {milliseconds(measured.wait_s)} of waiting "
        f"and {milliseconds(measured.cpu_s)} of computing, a step {milliseconds(measured.step_s)}, "
        f"the start of a worker {milliseconds(measured.boot_cpu_s)}; {measured.batches_left} "
        "batches are left)"
    )


def milliseconds(seconds: float) -> str:
    """A duration for a sentence."""
    return f"{seconds * 1e3:,.1f} ms" if seconds < 0.1 else f"{seconds:,.2f} s"
