"""Decides for each batch who loads it: this process, its reading threads, or a worker."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from math import ceil
from typing import Any

from .batches import BatchKey
from .errors import LoadingError, ProjectError
from .generators import LoadingGenerators
from .plan import LoaderPlan
from .pool import TRIES, Task, WorkerPool
from .reader import BatchReader, Request
from .tensors import pinned
from .tuner import Tuner
from .watchdog import Watchdog, call_named
from .worker import QUEUE_LENGTH, Loaded

AT_ONCE, AT_ONCE_S = 16, 3e-3
"""How many batches are loaded here one after the other, at most, and for how long."""
BOOTING_CPU_S = 0.5
"""Processor time of starting workers that is not noticed."""


class Dispatcher:
    """Holds what loads batches, and gives each batch to one of them.

    Args:
        plan: says whether the number of workers is fixed; they load all batches then.
        tell: takes a line for people.
    """

    def __init__(
        self,
        reader: BatchReader,
        pool: WorkerPool,
        tuner: Tuner,
        watchdog: Watchdog,
        plan: LoaderPlan,
        tell: Callable[[str], None],
    ) -> None:
        self.reader, self.pool, self.tuner, self.watchdog = reader, pool, tuner, watchdog
        self._plan, self._tell = plan, tell
        self._must_use_workers = plan.is_fixed and plan.num_workers.value > 0
        self._generators = LoadingGenerators()

    def fill(
        self, window: deque[Task], keys: Iterator[BatchKey], split: str, batch_size: int
    ) -> None:
        """Between two batches: ask for what comes next.

        Args:
            window: the batches on their way, in order.
            keys: those that come after them.
        """
        pool = self.pool
        if pool.workers:
            pool.take_mail()
        threads, pool.target = self.tuner.setup
        if pool.most is not None:
            pool.target = min(pool.target, pool.most)
        if pool.workers or pool.target:
            self._start_workers()
        ready = pool.ready
        # Workers hold two requests each; threads of the main process read two rounds ahead.
        wanted = QUEUE_LENGTH * ready or 1 + ceil(2 * threads / batch_size) + AT_ONCE
        if len(window) <= wanted // 2 or ready:
            for key in islice(keys, max(0, wanted - len(window))):
                window.append(Task(Request(split, key)))
        if ready:
            pool.hand_out(window, threads)
            self.reader.ahead.forget(task.request.place for task in window if task.worker)
        elif threads:
            for task in window:
                self.reader.expect(task.request, threads)

    def _start_workers(self) -> None:
        # Those that take long to start would keep each other, and this process, from working.
        at_once = max(1, self._plan.cpus - 1, int(BOOTING_CPU_S / self.tuner.boot_cpu_s))
        if self._must_use_workers:
            at_once = self.pool.target
        while len(self.pool.failed_starts) < TRIES and self.pool.missing(at_once):
            self.reader.ahead.settle()  # nothing may change a data set while it is pickled
            self.pool.start()
        if len(self.pool.failed_starts) >= TRIES:
            if self.pool.ready:
                self.pool.go_on_with_fewer(self.pool.failed_starts[-1])
            else:
                self._do_without_workers()

    def _do_without_workers(self) -> None:
        message = f"no worker could be started: each {self.pool.failed_starts[-1]}"
        if self._must_use_workers:
            raise ProjectError(message)
        self._tell(f"{message} The main process loads.")
        self.tuner.do_without_workers()
        self.pool.target = 0
        self.pool.failed_starts.clear()

    def finish(self, task: Task, window: deque[Task]) -> Loaded:
        """Wait for a batch, or load it here if no worker has it.

        What has ended a worker is not loaded here; nor is anything if workers were asked for.
        """
        while task.loaded is None:
            if task.worker or (self.pool.target and (task.failures or self._must_use_workers)):
                self.pool.wait_for(task)
                self._start_workers()
                self.pool.hand_out(window, self.tuner.setup.threads)
            else:
                self._load_some(window)
        loaded = task.loaded
        if loaded.error is not None:
            if loaded.trace:
                raise loaded.error from LoadingError(loaded.trace)
            raise loaded.error
        return loaded

    def _load_some(self, window: deque[Task]) -> None:
        # Tiny batches come several at a time, for the generators of training are put aside meanwhile.
        enough_s = time.perf_counter() + AT_ONCE_S
        with self._generators.in_use():
            for task in window:
                if task.worker is None and task.loaded is None:
                    task.loaded = self._load(task.request)
                    if time.perf_counter() > enough_s:
                        break

    def _load(self, request: Request) -> Loaded:
        self.watchdog.begin(request)
        try:
            name = f"{request}, samples {request.key.indices}"
            batch, cost = call_named(name, self.reader.load, request)
        except Exception as error:
            return Loaded(None, None, error)
        finally:
            self.watchdog.end()
        return Loaded(pinned(batch) if self._plan.pin_memory.value else batch, cost)


def probe(reader: BatchReader, split: str) -> Any:
    """Load a batch of one sample, so that what is wrong with it shows early."""
    with LoadingGenerators().in_use():
        return reader.load(Request(split, BatchKey(0, 0, [0])))[0]


def end_all(pool: WorkerPool, reader: BatchReader, watchdog: Watchdog) -> None:
    """End what a dispatcher uses."""
    watchdog.close()
    pool.close()
    reader.ahead.close()
