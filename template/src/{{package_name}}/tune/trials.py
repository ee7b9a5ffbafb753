"""Trains for a moment in one way after the other; the step is that of train.py, and nothing is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from itertools import count, cycle, islice
from multiprocessing import Pipe
from threading import Thread
from typing import Any

import torch

from ..config import TrainConfig
from ..data import make_dataset
from ..runtime.adapt import Setup
from ..runtime.device import choose_device, require_options
from ..runtime.errors import ProjectError
from ..runtime.loader import BatchLoader
from ..runtime.progress import Progress
from ..runtime.wire import receive, send
from ..train import make_model, train_one_epoch
from .findings import Costs, Findings, Trial, worker_counts

STEP_SHARE, AUTOMATIC_SHARE, THREADS_SHARE = 0.1, 0.2, 0.2
"""Of the time: for the step alone, for the automatic choice, and for reading threads without
workers. The rest is for workers."""
WARM_SHARE = 0.25
"""Of a stretch: training that is not measured yet, besides the start of workers."""
KEPT = 8
"""Batches that are kept in memory, to train without loading."""
HANDED_OVER = 20
"""Batches that are sent through a pipe, to measure what that takes."""


def measure(
    config: TrainConfig, findings: Findings, seconds: float, tell: Callable[[str], None]
) -> None:
    """Try what there is to try within a time, and note it in the findings as it comes.

    Raises:
        ProjectError: the data set cannot be loaded in the main process either.
    """
    deadline_s = time.monotonic() + (1 - STEP_SHARE) * seconds
    step_s = STEP_SHARE * seconds / 3
    bench = Bench(config, tell)
    with bench.loader as loader:
        findings.can_read_ahead = len(loader.plan.thread_counts.value) > 1
        # The automatic choice first, for it can only be made once.
        findings.automatic = bench.train_as_chosen(AUTOMATIC_SHARE * seconds)
        kept = bench.some_batches()
        findings.add_step(bench.train(cycle(kept), step_s))
        on_its_way_s = hand_over_s(kept[0], pin_memory=loader.plan.pin_memory.value)

        thread_counts = loader.plan.thread_counts.value
        for threads in thread_counts:
            part_s = THREADS_SHARE * seconds / len(thread_counts)
            findings.add(bench.try_setup(Setup(threads, 0), part_s))
            if threads == 0 and (measured := loader.measured()):
                findings.costs = Costs(
                    measured.samples,
                    measured.read_wait_s,
                    measured.prepare_wait_s,
                    measured.cpu_s,
                    on_its_way_s,
                )
        threads = findings.best.setup.threads if findings.best else 0

        costs, plan = findings.costs, loader.plan
        mostly_waits = costs is not None and costs.wait_s > costs.compute_s
        counts = worker_counts(plan.cpus, plan.num_workers.value, mostly_waits=mostly_waits)
        if counts[-1] < plan.cpus:
            reason = plan.num_workers.reason
            findings.notes.append(f"More than {counts[-1]} workers were not tried: {reason}.")
        # Up and down again, so that what else this machine does meanwhile hits all alike.
        setups = [Setup(t, workers) for workers in counts for t in sorted({0, threads})]
        try_setups(bench, setups, (time.monotonic() + deadline_s) / 2, findings)
        findings.add_step(bench.train(cycle(kept), step_s))
        again = [trial.setup for trial in findings.measured[::-1] if trial.setup in setups]
        try_setups(bench, again, deadline_s, findings)
        findings.add_step(bench.train(cycle(kept), step_s))


def try_setups(bench: Bench, setups: list[Setup], deadline_s: float, findings: Findings) -> None:
    """Try setups one after the other, in equal parts of the time that is left."""
    most = max((setup.workers for setup in setups), default=0)
    for number, setup in enumerate(setups):
        left_s = deadline_s - time.monotonic()
        if left_s <= 0:
            break
        if setup.workers <= most:
            trial = bench.try_setup(setup, left_s / (len(setups) - number))
            findings.add(trial)
            if trial.failure:
                most = setup.workers - 1
                findings.notes.append(f"{setup} did not work: {trial.failure}")
    untried = [setup for setup in setups if setup.workers <= most and setup not in findings.trials]
    if untried:
        findings.notes.append(f"{untried[0]} and more were not tried: the --seconds were over.")


class Bench:
    """A fresh model, and a loader of the training set.

    Args:
        tell: takes a line for people.
    """

    def __init__(self, config: TrainConfig, tell: Callable[[str], None]) -> None:
        chosen = choose_device(config.device)
        require_options(chosen, amp=config.amp, compile=config.compile)
        self._device, self._amp = torch.device(chosen.name), config.amp
        torch.manual_seed(config.seed)
        self._model, self._optimizer = make_model(config, self._device)
        if config.compile:
            self._model.compile()
        self._tell, self._told = tell, ""
        self._epochs = count()
        self.loader = BatchLoader(
            {"train": make_dataset(config.data_dir, "train", augment=config.augment)},
            config.batch_size,
            epochs=config.epochs,
            device=chosen.name,
            seed=config.seed,
            tell=self._note,
            **asdict(replace(config.loader, num_workers="auto", reading_threads="auto")),
        )

    def _note(self, line: str) -> None:
        self._told = line
        self._tell(line)

    def _batches(self) -> Iterator[Any]:
        """Batches without end. Each trial begins an epoch, for it should find other samples."""
        for epoch in self._epochs:
            yield from self.loader.epoch("train", epoch, shuffle=True)

    def some_batches(self) -> list[Any]:
        """A few batches, loaded in the main process."""
        self.loader.hold(Setup(0, 0))
        return list(islice(self._batches(), KEPT))

    def train_as_chosen(self, limit_s: float) -> Trial:
        """Train as a run would, which measures first and then chooses."""
        trial = self.train(self._batches(), limit_s, warm_share=2 / 3)
        return trial._replace(setup=self.loader.setup)

    def try_setup(self, setup: Setup, limit_s: float) -> Trial:
        """Train with one setup.

        Raises:
            ProjectError: it does not work in the main process.
        """
        self.loader.hold(setup)
        try:
            trial = self.train(self._batches(), limit_s)
        except ProjectError as error:
            if not setup.workers:
                raise
            return Trial(setup, failure=str(error))
        failure = "" if self.loader.setup == setup else self._told
        return trial._replace(setup=setup, failure=failure)

    def train(
        self, batches: Iterable[Any], limit_s: float, warm_share: float = WARM_SHARE
    ) -> Trial:
        """Train for a time, and measure its later part, in which all workers have started."""
        iterator, progress = iter(batches), Progress()
        samples, seconds, wait_s = 0, 0.0, 0.0

        def watched() -> Iterator[Any]:
            nonlocal samples, seconds, wait_s
            warm_until_s = time.perf_counter() + warm_share * limit_s
            while True:
                yield next(iterator)
                if time.perf_counter() >= warm_until_s and self.loader.is_settled:
                    break
            self._synchronize()
            begin_s, samples_before = time.perf_counter(), progress.samples
            while time.perf_counter() - begin_s < (1 - warm_share) * limit_s:
                asked_s = time.perf_counter()
                batch = next(iterator)
                wait_s += time.perf_counter() - asked_s
                yield batch
            self._synchronize()
            samples = progress.samples - samples_before
            seconds = time.perf_counter() - begin_s

        train_one_epoch(
            self._model, watched(), self._optimizer, self._device, progress, amp=self._amp
        )
        return Trial(self.loader.setup, samples, seconds, wait_s)

    def _synchronize(self) -> None:
        """Wait for the accelerator, which works on after Python has told it what to do."""
        if self._device.type != "cpu":
            torch.accelerator.synchronize()


def hand_over_s(batch: Any, *, pin_memory: bool) -> float:
    """Seconds that a batch takes through a pipe, as it comes from a worker."""
    ends: Any = Pipe()  # their type differs from system to system
    ours, theirs = ends

    def send_all() -> None:
        for _ in range(HANDED_OVER):
            send(theirs, batch)

    begin_s = time.perf_counter()
    Thread(target=send_all, name="hands-over", daemon=True).start()
    for _ in range(HANDED_OVER):
        receive(ours, pin_memory=pin_memory)
    seconds = time.perf_counter() - begin_s
    ours.close()
    theirs.close()
    return seconds / HANDED_OVER
