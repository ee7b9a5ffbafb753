"""Loads one batch, in whichever process this is: the pure function itself, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter, thread_time
from typing import Any, NamedTuple

from .ahead import ReadAhead
from .batches import BatchKey, MapDataset
from .errors import LoadingError, ProjectError
from .generators import seed_generators

QUICK_S, EVERY = 1e-3, 8
"""Of batches that are loaded in less, one in so many is measured: it costs microseconds."""


class Request(NamedTuple):
    """Asks for one batch. It travels to the worker that loads it."""

    split: str
    """Which of the data sets."""
    key: BatchKey
    careful: bool = False
    """Whether to say before each sample which one it is, since this batch ended a worker before."""

    def __str__(self) -> str:
        return f"batch {self.key.number} of epoch {self.key.epoch} of {self.split!r}"

    @property
    def place(self) -> tuple[str, int, int]:
        """Names the batch, without its samples."""
        return self.split, self.key.epoch, self.key.number


class Cost(NamedTuple):
    """Seconds that one batch took to load."""

    read_wait_s: float
    read_cpu_s: float
    prepare_wait_s: float
    prepare_cpu_s: float


@dataclass(frozen=True)
class BatchSource:
    """All that a batch depends on, besides its key. Workers receive a copy."""

    datasets: Mapping[str, MapDataset]
    seed: int
    collate: Callable[[list[Any]], Any]


class BatchReader:
    """Loads batches; threads read ahead where the data set has `read` and `prepare`.

    Threads never change a batch: `read` draws no random numbers, and `prepare` runs here, for one
    sample after the other.
    """

    def __init__(self, source: BatchSource) -> None:
        self.source = source
        self.ahead = ReadAhead()
        self._took_s = 0.0

    def expect(self, request: Request, threads: int) -> None:
        """Have threads begin to read the samples of a batch that will be loaded soon."""
        dataset: Any = self.source.datasets[request.split]
        if threads and can_read_ahead(dataset):
            self.ahead.begin(request.place, dataset.read, request.key.indices, threads)

    def load(
        self, request: Request, at_sample: Callable[[int], None] | None = None
    ) -> tuple[Any, Cost | None]:
        """Load a batch. An exception of the data set says which sample it was.

        Seeds the global generators; who cares for their state keeps it.

        Args:
            at_sample: called before each sample, of which one is read and prepared after the other.
        """
        indices = request.key.indices
        dataset: Any = self.source.datasets[request.split]
        is_measured = self._took_s > QUICK_S or request.key.number % EVERY == 0
        clock = wall_and_cpu if is_measured else wall_only
        seed_generators(self.source.seed, request.key.epoch, request.key.number)
        raws: list[Any] = []
        samples: list[Any] = []
        stage = raws
        ahead_s = ahead_cpu_s = 0.0
        begin_s, begin_cpu_s = read_s, read_cpu_s = clock()
        try:
            if at_sample or not has_two_parts(dataset):
                stage = samples
                announced = announce(indices, at_sample) if at_sample else indices
                extend(samples, map(dataset.__getitem__, announced), len(indices))
            else:
                if ahead := self.ahead.take(request.place):
                    for raw, seconds, cpu_seconds in ahead:
                        raws.append(raw)
                        ahead_s += seconds
                        ahead_cpu_s += cpu_seconds
                else:
                    extend(raws, map(dataset.read, indices), len(indices))
                read_s, read_cpu_s = clock()
                stage = samples
                extend(samples, map(dataset.prepare, raws), len(indices))
            raws.clear()
            batch = self.source.collate(samples)
        except Exception as error:
            # As many samples as are in the list went well.
            done = len(stage)
            add_place(error, request, indices[done] if done < len(indices) else None)
            raise
        end_s, end_cpu_s = clock()
        self._took_s = end_s - begin_s
        if not is_measured:
            return batch, None
        if not ahead_s:
            ahead_s, ahead_cpu_s = read_s - begin_s, read_cpu_s - begin_cpu_s
        prepare_s, prepare_cpu_s = end_s - read_s, end_cpu_s - read_cpu_s
        return batch, Cost(
            max(0.0, ahead_s - ahead_cpu_s),
            ahead_cpu_s,
            max(0.0, prepare_s - prepare_cpu_s),
            prepare_cpu_s,
        )


def wall_and_cpu() -> tuple[float, float]:
    """The time, and this thread's processor time, in seconds."""
    return perf_counter(), thread_time()


def wall_only() -> tuple[float, float]:
    return perf_counter(), 0.0


def extend(results: list[Any], more: Iterable[Any], length: int) -> None:
    """Add what comes to a list; what came before an exception is in it too.

    Raises:
        RuntimeError: there are fewer than `length`: a StopIteration looks like the end.
    """
    results.extend(more)
    if len(results) < length:
        raise RuntimeError("the data set raised StopIteration")


def announce(indices: Iterable[int], at_sample: Callable[[int], None]) -> Iterator[int]:
    """Yield indices, and say so before each."""
    for index in indices:
        at_sample(index)
        yield index


def has_two_parts(dataset: Any) -> bool:
    """Whether a sample is `prepare(read(index))`."""
    return hasattr(dataset, "read") and hasattr(dataset, "prepare")


def can_read_ahead(dataset: Any) -> bool:
    """Whether several threads may call `read`; a data set says no with `concurrent_reads = False`."""
    return has_two_parts(dataset) and getattr(dataset, "concurrent_reads", True)


def add_place(error: BaseException, request: Request, index: int | None) -> None:
    """Note on an exception which sample it is about; None stands for the batch as a whole."""
    place = f"in {'collate' if index is None else f'sample {index}'}, for {request}"
    if isinstance(error, ProjectError):  # it says itself what it is about
        return
    if hasattr(error, "add_note"):  # Python 3.11
        error.add_note(place)
    elif error.__cause__ is None:
        error.__cause__ = LoadingError(place)
