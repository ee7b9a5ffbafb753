"""The loader: batches of data sets, epoch by epoch, loaded here, by threads, or by workers.

It begins in the main process at once. What it measures there decides whether threads or worker
processes take over; until a worker is ready, nobody waits for it. A worker that dies is replaced,
and asked again. All of that is possible because a batch is a pure function.
"""

from __future__ import annotations

import multiprocessing
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Literal

from torch.utils.data import default_collate

from .adapt import Setup
from .batches import MapDataset, batch_keys, count_batches
from .dispatcher import Dispatcher, end_all, probe
from .errors import ProjectError
from .machine import Machine, read_machine
from .plan import Job, LoaderPlan, plan_loader
from .pool import TRIES, Task, WorkerPool
from .preflight import weigh
from .reader import BatchReader, BatchSource, can_read_ahead
from .start import StartMethod, current_start_method
from .story import end_stalled_run
from .tensors import measure
from .tuner import Tuner
from .watchdog import Watchdog

STDERR = 2
"""Its descriptor, for sys.stderr may be none of the system's."""


class BatchLoader:
    """Loads batches of one or more data sets, which share their workers; close it after use.

    Args:
        datasets: the data sets by name, as in {"train": ..., "validation": ...}.
        batch_size: samples in a batch; the last one of an epoch may have fewer.
        epochs: how often the data sets will be read, all alike or each by its name, to know whether
            workers are worth their start.
        device: where the batches will be used; decides whether memory is pinned.
        seed: all shuffling and augmentation follow from it.
        num_workers: a fixed number of worker processes, or "auto".
        timeout_s: seconds that a batch may take, a second try in another worker included.
        collate: makes a batch of a list of samples.
        start_method: how workers start; the choice for this system by default.
        machine: facts about this machine; read afresh by default.
        tell: takes a line for people, when something is decided or mended.

    Raises:
        ProjectError: a data set is empty, or cannot be sent to the workers that were asked for.
    """

    def __init__(
        self,
        datasets: Mapping[str, MapDataset],
        batch_size: int,
        *,
        epochs: int | Mapping[str, int] = 1,
        device: str = "cpu",
        seed: int = 0,
        num_workers: int | Literal["auto"] = "auto",
        timeout_s: float = 120.0,
        collate: Callable[[list[Any]], Any] = default_collate,
        start_method: StartMethod | None = None,
        machine: Machine | None = None,
        tell: Callable[[str], None] = print,
    ) -> None:
        refuse_in_starting_worker()
        for name, dataset in datasets.items():
            if len(dataset) == 0:
                raise ProjectError(f"The data set {name!r} is empty: expected a sample or more.")
        self.batch_size = batch_size
        self._source = BatchSource(dict(datasets), seed, collate)
        self._batches_read = 0
        times = dict.fromkeys(datasets, epochs) if isinstance(epochs, int) else epochs
        self._batches_left = sum(times[name] * self.count(name) for name in datasets)
        machine = machine or read_machine()
        reader = BatchReader(self._source)
        named: dict[str, Any] = {f"{name}_set": dataset for name, dataset in datasets.items()}
        named["collate"] = collate
        parcel = weigh(named)
        sample_bytes = max(measure(probe(reader, name)) for name in datasets)
        if not parcel.obstacle:
            parcel = weigh(named)  # reading a sample may have left an open file
        job = Job(
            requested_workers=None if num_workers == "auto" else num_workers,
            batches=self._batches_left,
            batch_bytes=sample_bytes * batch_size,
            parcel=parcel,
            timeout_s=timeout_s,
            start_method=start_method or current_start_method(),
            device=device,
        )
        self.plan: LoaderPlan = plan_loader(machine, job)
        tuner = Tuner(
            self.plan,
            can_read_ahead=all(map(can_read_ahead, datasets.values())),
            batch_bytes=job.batch_bytes,
            tell=tell,
        )
        pool = WorkerPool(self._source, self.plan, limit_s=timeout_s / TRIES, tell=tell)
        watchdog = Watchdog(timeout_s, STDERR, explain=end_stalled_run)
        self._dispatcher = Dispatcher(reader, pool, tuner, watchdog, self.plan, tell)
        self._finalizer = weakref.finalize(self, end_all, pool, reader, watchdog)

    def hold(self, setup: Setup) -> None:
        """Load in one way from now on, whatever is measured: for those who compare."""
        self._dispatcher.tuner.hold(setup)

    def count(self, split: str) -> int:
        """How many batches an epoch of a data set has."""
        return count_batches(len(self._source.datasets[split]), self.batch_size)

    def epoch(
        self, split: str, epoch: int, *, first: int = 0, shuffle: bool = False
    ) -> Iterator[Any]:
        """Yield the batches of an epoch of one data set.

        Args:
            first: the number of the first batch, to go on in the middle of an epoch.
            shuffle: whether the epoch has an order of its own.
        """
        keys = batch_keys(
            len(self._source.datasets[split]),
            self.batch_size,
            seed=self._source.seed,
            epoch=epoch,
            shuffle=shuffle,
            first=first,
        )
        if self._batches_left < self.count(split):  # more is read than was announced
            self._batches_left = max(self.count(split), self._batches_read)
        dispatcher, tuner = self._dispatcher, self._dispatcher.tuner
        window: deque[Task] = deque()
        if dispatcher.pool.interrupted:
            dispatcher.pool.begin_anew()
        try:
            while self._finalizer.alive:
                tuner.look(self._batches_left, dispatcher.pool)
                dispatcher.fill(window, keys, split, self.batch_size)
                if not window:
                    return
                loaded = dispatcher.finish(window[0], window)
                samples = len(window.popleft().request.key.indices)
                self._batches_left = max(0, self._batches_left - 1)
                self._batches_read += 1
                batch, cost = loaded.batch, loaded.cost
                del loaded  # from here on only the loop outside holds the batch
                with tuner.step(cost, samples):
                    yield batch
                    del batch
        except KeyboardInterrupt:
            dispatcher.pool.interrupted = True
            raise
        finally:
            dispatcher.reader.ahead.forget(task.request.place for task in window)
        raise RuntimeError("this loader is closed: make a new one")

    def close(self) -> None:
        """End the workers and the threads."""
        self._finalizer()

    def __enter__(self) -> BatchLoader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def refuse_in_starting_worker() -> None:
    """Stop a main program without a guard: each of its workers would begin the work anew."""
    # As multiprocessing itself finds out, but only when the worker starts workers of its own.
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise ProjectError(
            "A worker process imports the main program, and that begins to load data again: put "
            'what the program does behind  if __name__ == "__main__":'
        )
