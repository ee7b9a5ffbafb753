"""One round of one workload: each side does the whole job, one after the other, in this process.

Asked for {"workload", "project", "data", "batches", "sides"}, it answers {"side", "seconds"} for
each side, with what the automatic loader chose, or {"side", "problem"}. Sides are named as in
workers.py.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import time
from collections.abc import Callable, Iterable
from threading import Timer
from typing import Any

from .child import answer, question
from .rendered import part, start_method, use_project

LIMIT_S = 120.0
"""For one side."""


def main() -> None:
    asked = question()
    use_project(asked["project"])  # before torch, as the project's own command does
    from .workloads import WORKLOADS, make_dataset, make_training

    workload = next(w for w in WORKLOADS if w.name == asked["workload"])
    dataset = make_dataset(workload, asked["data"], asked["batches"])
    train = make_training(workload)
    part("runtime.loader")
    warm_up(dataset)
    for side in asked["sides"]:
        job = Job(dataset, workload.batch_size, workload.epochs, train)
        deadline = Timer(LIMIT_S, give_up)
        deadline.daemon = True
        deadline.start()
        started_s = time.perf_counter()
        try:
            samples, told = job.run(side)
        except Exception as error:
            answer({"side": side, "problem": f"{type(error).__name__}: {error}"[:200]})
            continue
        finally:
            deadline.cancel()
        seconds = time.perf_counter() - started_s
        assert samples == len(dataset) * workload.epochs, f"{side}: {samples} samples"
        answer({"side": side, "seconds": seconds, "told": told})


def give_up() -> None:
    """End this process; whoever asked knows which side was under way."""
    print(f"did not end within {LIMIT_S:g} s", file=sys.stderr, flush=True)
    os._exit(1)


def warm_up(dataset: Any) -> None:
    """Import and allocate what any first batch needs, and see the fork server in use once."""
    from torch.utils.data import DataLoader, Subset

    first = Subset(dataset, range(2))
    for _ in DataLoader(first, 2, num_workers=1, multiprocessing_context="forkserver"):
        pass
    for name in ("spdl.dataloader", "grain", "torchdata.stateful_dataloader"):
        with contextlib.suppress(ImportError):  # else its side says so
            importlib.import_module(name)


class Job:
    """Passes over a data set, each of them trained on."""

    def __init__(
        self, dataset: Any, batch_size: int, epochs: int, train: Callable[[Iterable[Any]], int]
    ) -> None:
        self.dataset, self.batch_size, self.epochs = dataset, batch_size, epochs
        self.train = train

    def run(self, side: str) -> tuple[int, str]:
        """Do the job as one side does it; returns the number of samples, and what it said."""
        name, _, method = side.partition(", ")
        if name == "automatic":
            return self.automatic(method)
        peers = {"SPDL": self.spdl, "Grain": self.grain, "StatefulDataLoader": self.stateful}
        if name in peers:
            return peers[name](method), ""
        count, _, kept = name.partition(" ")
        return self.fixed(int(count), method, kept=kept != "not kept"), ""

    def automatic(self, method: str) -> tuple[int, str]:
        """The project's loader."""
        told: list[str] = []
        with part("runtime.loader").BatchLoader(
            {"samples": self.dataset},
            self.batch_size,
            epochs=self.epochs,
            start_method=start_method(method),
            tell=told.append,
        ) as loader:
            samples = sum(self.train(loader.epoch("samples", e)) for e in range(self.epochs))
        chosen = [text.partition(" from here on") for text in told]
        setups = [before.removeprefix("loading: ") for before, found, _ in chosen if found]
        return samples, setups[-1] if setups else "the main process"

    def fixed(self, count: int, method: str, *, kept: bool) -> int:
        """torch's DataLoader, whose workers are kept for the next epoch or not."""
        from torch.utils.data import DataLoader

        options: dict[str, Any] = {}
        if count:
            options = {"multiprocessing_context": method, "persistent_workers": kept}
        loader = DataLoader(self.dataset, self.batch_size, num_workers=count, **options)
        return sum(self.train(loader) for _ in range(self.epochs))

    def stateful(self, method: str) -> int:
        """torchdata's loader, with the two workers of its tutorial."""
        module = importlib.import_module("torchdata.stateful_dataloader")
        options = {"num_workers": 2, "multiprocessing_context": method}
        loader = module.StatefulDataLoader(self.dataset, self.batch_size, **options)
        return sum(self.train(loader) for _ in range(self.epochs))

    def spdl(self, _: str) -> int:
        """SPDL's DataLoader with its own number of threads."""
        from torch.utils.data import default_collate

        loader = importlib.import_module("spdl.dataloader").DataLoader(
            range(len(self.dataset)),
            preprocessor=self.dataset.__getitem__,
            batch_size=self.batch_size,
            aggregator=default_collate,
        )
        return sum(self.train(loader) for _ in range(self.epochs))

    def grain(self, _: str) -> int:
        """Grain with its own choice of workers, all epochs in one stream, as its guide has it."""
        from torch.utils.data import default_collate

        grain = importlib.import_module("grain")
        source = grain.MapDataset.source(self.dataset).repeat(self.epochs).to_iter_dataset()
        batches = source.batch(self.batch_size, batch_fn=default_collate)
        choice = grain.experimental.pick_performance_config(
            ds=batches, ram_budget_mb=1024, max_workers=None, max_buffer_size=None
        )
        iterator = iter(batches.mp_prefetch(choice.multiprocessing_options))
        try:
            return self.train(iterator)
        finally:
            iterator.close()


if __name__ == "__main__":
    main()
