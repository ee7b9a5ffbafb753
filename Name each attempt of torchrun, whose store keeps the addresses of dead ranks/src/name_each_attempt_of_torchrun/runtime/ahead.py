"""Threads that read samples before they are asked for: reads mostly wait, and waiting overlaps."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from queue import SimpleQueue
from threading import Thread
from time import perf_counter, thread_time
from typing import Any, NamedTuple

SETTLE_S = 5.0
"""Seconds to wait for reads to come to an end; one that is stuck never does."""


class TimedRead(NamedTuple):
    """What a read returned, and the seconds and processor seconds that it took."""

    raw: Any
    seconds: float
    cpu_seconds: float


def timed(read: Callable[[int], Any], index: int) -> TimedRead:
    start_s, start_cpu_s = perf_counter(), thread_time()
    raw = read(index)
    return TimedRead(raw, perf_counter() - start_s, thread_time() - start_cpu_s)


class ReadAhead:
    """Reads the samples of batches, each batch under a key of its own; close it after use."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads: list[Thread] = []
        self._reads: dict[Hashable, list[Future[TimedRead]]] = {}

    def begin(
        self, key: Hashable, read: Callable[[int], Any], indices: Sequence[int], threads: int
    ) -> None:
        """Have threads read a batch, unless they do already."""
        if key in self._reads:
            return
        while len(self._threads) < threads:
            # Not a ThreadPoolExecutor: the interpreter would wait for a read that never returns.
            thread = Thread(target=run_jobs, args=(self._jobs,), name="reads-ahead", daemon=True)
            self._threads.append(thread)
            thread.start()
        self._reads[key] = [self._submit(read, index) for index in indices]

    def _submit(self, read: Callable[[int], Any], index: int) -> Future[TimedRead]:
        future: Future[TimedRead] = Future()

        def job() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(timed(read, index))
                except BaseException as error:  # it is raised where the sample is asked for
                    future.set_exception(error)

        self._jobs.put(job)
        return future

    def take(self, key: Hashable) -> Iterator[TimedRead] | None:
        """The samples of a batch in their order, waited for one by one; None if nobody read them.

        Raises:
            Exception: whatever the read of a sample raised, when it is that sample's turn.
        """
        reads = self._reads.pop(key, None)
        return (read.result() for read in reads) if reads else None

    def forget(self, keys: Iterable[Hashable]) -> None:
        """Drop what was read for batches that nobody will ask for."""
        for key in keys:
            for read in self._reads.pop(key, []):
                read.cancel()

    def settle(self) -> None:
        """Wait for the reads under way, so that nothing changes the data set meanwhile."""
        wait([read for reads in self._reads.values() for read in reads], SETTLE_S)

    def close(self) -> None:
        """End the threads; one that is stuck in a read is left behind."""
        self.forget(list(self._reads))
        for _ in self._threads:
            self._jobs.put(None)
        self._threads.clear()


def run_jobs(jobs: SimpleQueue[Callable[[], None] | None]) -> None:
    """What a reading thread does."""
    while (job := jobs.get()) is not None:
        job()
