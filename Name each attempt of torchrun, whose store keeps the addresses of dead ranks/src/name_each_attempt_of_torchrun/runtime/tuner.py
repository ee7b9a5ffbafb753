"""Measures while batches are loaded, and decides when to change how they are loaded."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from .adapt import Measured, Setup, choose_setup, explain
from .plan import LoaderPlan
from .pool import WorkerPool
from .reader import Cost

FIRST_LOOK_S = 0.05
"""Seconds of loading and training that are measured before the first decision."""
MAX_CHANGES = 3
"""The choice itself, a second thought when it has begun to work, and one correction."""
IMPORT_CPU_S = time.process_time()
"""Processor time that this process took to import torch; a new Python takes about the same."""


def guess_boot_cpu_s(start_method: str) -> float:
    """What a worker takes to start, until one has been measured."""
    if start_method == "forkserver":
        return 0.04
    return min(max(IMPORT_CPU_S, 1.0), 5.0)


class Tuner:
    """Holds the setup in use, and the measurements that speak for it.

    Args:
        plan: how many workers there may be, or must be; only threads are chosen then.
        can_read_ahead: whether the data sets allow threads.
        batch_bytes: the size of a batch.
        tell: takes the line that explains a choice.
    """

    def __init__(
        self,
        plan: LoaderPlan,
        *,
        can_read_ahead: bool,
        batch_bytes: float,
        tell: Callable[[str], None],
    ) -> None:
        self.setup = Setup(0, plan.num_workers.value if plan.is_fixed else 0)
        self.boot_cpu_s = guess_boot_cpu_s(plan.start_method.value)
        self._max_workers, self._is_fixed, self._cpus = (
            plan.num_workers.value,
            plan.is_fixed,
            plan.cpus,
        )
        self._can_read_ahead, self._batch_bytes, self._tell = can_read_ahead, batch_bytes, tell
        self._changes = 0
        self._pauses = False
        self._waits_s: tuple[float, float] | None = None
        self._begin(FIRST_LOOK_S)

    def _begin(self, look_s: float) -> None:
        """Measure anew."""
        self._look_s = look_s
        self._batches = self._samples = 0
        self._load_s = [0.0, 0.0, 0.0, 0.0]
        self._step_s = self._step_cpu_s = 0.0

    def step(self, cost: Cost | None, samples: int) -> AbstractContextManager[None]:
        """Note what a batch of so many samples cost, and measure what the block does with it."""
        if cost is None or self._pauses:  # starting workers make everything slower
            return nullcontext()
        return self._measured_step(cost, samples)

    @contextmanager
    def _measured_step(self, cost: Cost, samples: int) -> Iterator[None]:
        started_s, started_cpu_s = time.perf_counter(), time.process_time()
        yield
        self._step_s += time.perf_counter() - started_s
        self._step_cpu_s += time.process_time() - started_cpu_s
        self._load_s = [total + part for total, part in zip(self._load_s, cost, strict=True)]
        self._batches += 1
        self._samples += samples

    def hold(self, setup: Setup) -> None:
        """Choose this, and nothing else from now on."""
        self.setup, self._changes = setup, MAX_CHANGES

    def do_without_workers(self) -> None:
        """Choose none from now on."""
        self._max_workers = 0
        self.setup = Setup(self.setup.threads, 0)

    def look(self, batches_left: int, pool: WorkerPool) -> None:
        """Decide again, if enough was measured since the last time."""
        self._pauses = pool.booting
        self.boot_cpu_s = pool.boot_cpu_s or self.boot_cpu_s
        if self._pauses or self._changes >= MAX_CHANGES or not self._batches:
            return
        if sum(self._load_s) + self._step_s < self._look_s:
            return
        measured = self._measured(batches_left)
        chosen = choose_setup(
            measured,
            cpus=self._cpus,
            max_workers=self._max_workers,
            can_read_ahead=self._can_read_ahead,
            current=self.setup,
            is_fixed=self._is_fixed,
        )
        if chosen == self.setup:
            self._look_s *= 2
            return
        self._changes += 1
        self.setup = chosen
        self._tell(explain(chosen, measured))
        self._begin(10 * FIRST_LOOK_S)

    def _measured(self, batches_left: int) -> Measured:
        """The averages so far."""
        read_wait_s, read_cpu_s, prepare_wait_s, prepare_cpu_s = (
            seconds / self._batches for seconds in self._load_s
        )
        if self.setup.workers >= self._cpus and self._waits_s:
            # Workers that wait for a processor look as if they waited for data.
            read_wait_s, prepare_wait_s = map(min, (read_wait_s, prepare_wait_s), self._waits_s)
        self._waits_s = read_wait_s, prepare_wait_s
        return Measured(
            read_wait_s=read_wait_s,
            read_cpu_s=read_cpu_s,
            prepare_wait_s=prepare_wait_s,
            prepare_cpu_s=prepare_cpu_s,
            step_s=self._step_s / self._batches,
            step_cpu_s=self._step_cpu_s / self._batches,
            samples=self._samples / self._batches,
            batch_bytes=self._batch_bytes,
            boot_cpu_s=self.boot_cpu_s,
            batches_left=batches_left,
        )
