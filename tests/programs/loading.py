"""Loads data in one of several ways, and prints what came of it as JSON in the last line.

python loading.py PACKAGE CASE [OPTIONS AS JSON]
"""

from __future__ import annotations

import faulthandler
import gc
import hashlib
import importlib
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Thread
from typing import Any

PACKAGE, CASE = sys.argv[1:3]
OPTIONS: dict[str, Any] = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}


def project(name: str) -> Any:
    return importlib.import_module(f"{PACKAGE}.{name}")


def open_loader(
    dataset: Any, batch_size: int = 4, *, method: str | None = None, **options: Any
) -> Any:
    """A loader of one data set, named "data"; what it tells goes to stdout."""
    if method:
        options["start_method"] = project("runtime.start").StartMethod(method, "it is tested")
    datasets = dataset if isinstance(dataset, dict) else {"data": dataset}
    return project("runtime.loader").BatchLoader(datasets, batch_size, **options)


def make(name: str, *arguments: Any, **options: Any) -> Any:
    options |= {name: Path(options[name]) for name in ("flag", "folder") if options.get(name)}
    return getattr(importlib.import_module("datasets"), name)(*arguments, **options)


def digest(values: Iterable[Any]) -> str:
    """A short name for a list of batches."""
    return hashlib.sha256(pickle.dumps(list(values))).hexdigest()[:16]


def train(dataset: str, *, length: int, switch_at: int | None, fresh: bool, **options: Any) -> str:
    """Train a small model for three epochs; returns a name for all batches and the weights.

    Args:
        switch_at: the batch of each epoch at which two workers take over.
        fresh: make a new loader for each epoch.
    """
    import numpy as np
    import torch

    adapt = project("runtime.adapt")
    torch.manual_seed(1)
    random.seed(2)
    np.random.seed(3)
    model = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Dropout(0.2), torch.nn.Linear(8, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    batches: list[Any] = []
    loader = None
    for epoch in range(3):
        if loader is None or fresh:
            if loader:
                loader.close()
            loader = open_loader(make(dataset, length), 4, seed=5, **options)
        for number, batch in enumerate(loader.epoch("data", epoch, shuffle=True)):
            if number == switch_at:
                loader._dispatcher.tuner.setup = adapt.Setup(4, 2)
                loader._dispatcher.tuner._changes = 99
            loss = (model(batch.float()) ** 2).mean() * (1 + random.random() + np.random.random())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            batches.append(batch.numpy().tobytes())
    assert loader
    loader.close()
    return digest([*batches, *(part.numpy().tobytes() for part in model.state_dict().values())])


def purity() -> Any:
    """Names of the results of all ways to load."""
    ways = {
        **{f"{n} workers, {m}": {"num_workers": n, "method": m} for n, m in OPTIONS["workers"]},
        "moved in the middle": {"switch_at": 3},
        "fresh loaders": {"num_workers": 2, "fresh": True},
        "automatic, computing": {"dataset": "Computing"},
        "automatic, waiting": {"dataset": "Waiting"},
    }
    defaults = {"dataset": "Drawing", "length": 90, "switch_at": None, "fresh": False}
    return {name: train(**{**defaults, **way}) for name, way in ways.items()}


def epochs() -> Any:
    """Load some epochs; returns all batches as lists."""
    options = dict(OPTIONS)
    dataset = make(*options.pop("dataset"), **options.pop("arguments", {}))
    count = options.pop("epochs", 1)
    with open_loader(dataset, **options) as loader:
        return [
            [
                batch.tolist() if hasattr(batch, "tolist") else batch
                for batch in loader.epoch("data", epoch)
            ]
            for epoch in range(count)
        ]


def error() -> Any:
    """Load an epoch that fails; returns the exception."""
    try:
        epochs()
    except BaseException as error:
        import traceback

        text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        return {"type": type(error).__name__, "message": str(error), "text": text}
    return None


def large() -> Any:
    """Load samples of 62.5 MB; returns the shapes, and the sum over a column."""
    options = dict(OPTIONS)
    with open_loader(make("Large", options.pop("length")), **options) as loader:
        return [[*batch.shape, int(batch[:, -1].sum())] for batch in loader.epoch("data", 0)]


def odd() -> Any:
    """Load samples of odd types, here and in a worker."""
    import datasets
    import torch

    found = []
    for workers in (0, 1):
        with open_loader(make("Odd", 21), num_workers=workers, collate=datasets.as_list) as loader:
            found.append(list(loader.epoch("data", 0)))
    for here, there in zip(*found, strict=True):
        for a, b in zip(here, there, strict=True):
            assert a.keys() == b.keys()
            for name in ("none", "text", "nested"):
                assert a[name] == b[name]
            assert (a["array"] == b["array"]).all()
            for name in ("tensor", "scalar", "large", "parameter"):
                assert torch.equal(a[name], b[name])
                assert (a[name].dtype, a[name].shape) == (b[name].dtype, b[name].shape)
                b[name].data.copy_(b[name].data.clone())  # it can be written to
            assert torch.equal(a["sparse"].to_dense(), b["sparse"].to_dense())
            assert b["parameter"].requires_grad
    return len(found[1])


def dropped() -> Any:
    """Leave loaders in the middle, without closing them."""
    for _ in range(OPTIONS["times"]):
        loader = open_loader(make("Computing", 200), num_workers=2)
        batches = loader.epoch("data", 0)
        for _ in range(5):
            next(batches)
        del loader, batches
        gc.collect()
    return True


def together() -> Any:
    """Two loaders at once, and two epochs of one at once."""
    with (
        open_loader(make("Drawing", 50), num_workers=1, seed=1) as first,
        open_loader(make("Drawing", 50), num_workers=2, seed=1) as second,
    ):
        pairs = zip(
            first.epoch("data", 0), second.epoch("data", 0), second.epoch("data", 0), strict=True
        )
        return all(a.equal(b) and a.equal(c) for a, b, c in pairs)


def splits() -> Any:
    """Read two data sets in turn; returns which processes loaded them."""
    import datasets

    sets = {name: make("AboutItself", 24) for name in ("train", "validation")}
    facts: dict[str, list[Any]] = {"train": [], "validation": []}
    with open_loader(sets, num_workers=2, collate=datasets.as_list) as loader:
        for epoch in range(3):
            for split, found in facts.items():
                for batch in loader.epoch(split, epoch):
                    found += [{**sample, "epoch": epoch} for sample in batch]
    return {"main": os.getpid(), **facts}


def switched() -> Any:
    """Load with the automatic choice; returns what it told and who loaded."""
    import datasets

    told: list[str] = []
    with open_loader(make(OPTIONS["dataset"], OPTIONS["length"]), 8, tell=told.append) as loader:
        most = 0
        for batch in loader.epoch("data", 0):
            most = max(most, len(loader._dispatcher.pool.workers))
            del batch
        assert datasets
        return {"told": told, "workers": most, "setup": str(loader._dispatcher.tuner.setup)}


def memory() -> Any:
    """Read a training set; returns the bytes that the worker alone has written to."""
    dataset = project("data").make_dataset(Path(OPTIONS["data_dir"]), "train")
    with open_loader(dataset, 256, num_workers=1) as loader:
        for _ in loader.epoch("data", 0, shuffle=True):
            pass
        (worker,) = loader._dispatcher.pool.workers
        lines = Path(f"/proc/{worker.process.pid}/smaps_rollup").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith("Private_Dirty:")]
    return int(line.split()[1]) * 1024


def project_data() -> Any:
    """Load the project's own training set in several ways; returns what came of each."""
    import datasets

    folder = project("config").project_folder() / "data"
    augmented, plain = (
        project("data").make_dataset(folder, "train", augment=augment) for augment in (True, False)
    )
    found: dict[str, Any] = {"batches": {}}
    for workers, method in OPTIONS["workers"]:
        with open_loader(augmented, 32, num_workers=workers, method=method, seed=3) as loader:
            batches = [
                as_bytes(b) for epoch in (0, 1) for b in loader.epoch("data", epoch, shuffle=True)
            ]
            rest = [as_bytes(b) for b in loader.epoch("data", 1, first=5, shuffle=True)]
        found["batches"][f"{workers} {method}"] = digest(batches)
        found["resumed"] = batches[len(batches) // 2 + 5 :] == rest
    with open_loader(plain, 32, num_workers=2, seed=3, collate=datasets.as_list) as loader:
        samples = [as_bytes(s) for batch in loader.epoch("data", 0, shuffle=True) for s in batch]
    in_order = [as_bytes(plain[index]) for index in range(len(plain))]
    found["once"], found["shuffled"] = sorted(samples) == sorted(in_order), samples != in_order
    with open_loader(make("AboutItself", 4), num_workers=1, collate=datasets.as_list) as loader:
        ((sample, *_),) = loader.epoch("data", 0)
    found["modules_of_worker"] = sorted(MODULES & set(sample["modules"]))
    return found


MODULES = {"fsspec", "h5py", "pyarrow", "tensorboard"}
"""What only some processes should import."""


def as_bytes(sample: Any) -> bytes:
    """An image or a batch of them, and the label or labels."""
    image, label = sample
    pixels: bytes = image.numpy().tobytes()
    return pixels + str(label).encode()


def paused() -> Any:
    """Be stopped while the main process loads, for longer than a batch may take."""
    script = 'kill -TSTP "$0" && sleep 5; kill -CONT "$0"'
    samples: list[int] = []
    longest_s, before_s = 0.0, time.monotonic()
    with open_loader(make("Computing", 800), num_workers=0, **OPTIONS) as loader:
        for number, batch in enumerate(loader.epoch("data", 0)):
            if number == 10:  # by now the alarm is set
                subprocess.Popen(["sh", "-c", script, str(os.getpid())])
            now_s = time.monotonic()
            longest_s, before_s = max(longest_s, now_s - before_s), now_s
            samples += batch[:, 0].int().tolist()
    return {"paused_s": longest_s, "samples": samples}


def short_memory() -> Any:
    """Kill a worker where hardly any memory is free."""
    vars(project("runtime.pool"))["free_memory_bytes"] = lambda: 1e6
    told: list[str] = []
    dataset = make("Trouble", "kill", 41, flag=OPTIONS["flag"], length=400)
    with open_loader(dataset, num_workers=2, tell=told.append) as loader:
        batches = [batch.tolist() for batch in loader.epoch("data", 0)]
        workers = loader._dispatcher.pool.ready
    return {"told": told, "workers": workers, "samples": sum(batches, [])}


def killed() -> Any:
    """Kill workers at random moments while they load; returns how many, and all batches."""
    choice = random.Random(OPTIONS["seed"])
    dataset = make("Computing", 2400)
    kills, batches = 0, []
    told: list[str] = []
    options = {"num_workers": 2, "method": OPTIONS["method"], "tell": told.append, "seed": 1}
    with open_loader(dataset, **options) as loader:
        since = 0
        for batch in loader.epoch("data", 0, shuffle=True):
            batches.append(batch.tolist())
            since += 1
            ready = [worker for worker in loader._dispatcher.pool.workers if worker.ready]
            # Far enough from the last one, for a batch that ends two workers ends the run.
            if len(ready) == 2 and since > 8:
                time.sleep(
                    choice.random() / 50
                )  # somewhere between the start and the end of a batch
                os.kill(choice.choice(ready).process.pid, signal.SIGKILL)
                kills, since = kills + 1, 0
    replaced = sum("a new one" in line for line in told)
    return {"kills": kills, "replaced": replaced, "batches": digest(batches)}


def suicide() -> Any:
    """Kill the main process while its workers load."""
    import psutil

    with open_loader(make("Waiting", 4000), num_workers=2) as loader:
        for _ in loader.epoch("data", 0):
            if loader._dispatcher.pool.ready == 2:
                print("killed", flush=True)
                psutil.Process().kill()


def killed_at_start() -> Any:
    """Kill a worker before it is ready."""
    dataset = make("Base", OPTIONS["length"])
    with open_loader(dataset, num_workers=1) as loader:
        batches = loader.epoch("data", 0)
        loader._dispatcher.pool.target = 1
        loader._dispatcher._start_workers()
        loader._dispatcher.pool.workers[0].process.kill()
        return [batch.tolist() for batch in batches]


def refused() -> Any:
    """Have the system refuse a worker, from one on, so many times; returns what was told."""
    process = project("runtime.process")
    what = OPTIONS["what"]
    patched, name = (Thread, "start") if what == "thread" else (process, "interrupt_hidden")
    original = getattr(patched, name)
    told: list[str] = []
    calls: list[None] = []

    def refuse_some(*thread: Thread) -> Any:
        if thread and not thread[0].name.startswith("worker-"):
            return original(*thread)
        calls.append(None)
        if OPTIONS["first"] <= len(calls) < OPTIONS["first"] + OPTIONS["times"]:
            if what == "thread":
                raise RuntimeError("can't start new thread")
            if what == "server":
                server = importlib.import_module("multiprocessing.forkserver")._forkserver
                os.kill(server._forkserver_pid, signal.SIGKILL)
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return original(*thread)

    setattr(patched, name, refuse_some)
    options = {"num_workers": OPTIONS["num_workers"], "tell": told.append}
    with open_loader(make("Base", 40), **options) as loader:
        if OPTIONS["num_workers"] == "auto":  # as if they had been chosen
            loader.hold(project("runtime.adapt").Setup(0, 2))
        batches = [batch.tolist() for batch in loader.epoch("data", 0)]
        workers = len(loader._dispatcher.pool.workers)
    refusals = [line for line in told if "refused" in line]
    return {"told": refusals, "workers": workers, "samples": sum(batches, [])}


def interrupted_start() -> Any:
    """Ctrl-C strikes where a worker has been started, and nobody knows it yet."""
    process = project("runtime.process")

    def strike(*_: Any) -> None:
        raise KeyboardInterrupt

    process.note_start = strike
    try:
        with open_loader(make("Base", 40), num_workers=2) as loader:
            list(loader.epoch("data", 0))
    except KeyboardInterrupt:
        return "interrupted"


def open_file() -> Any:
    """Save while another program has the file open: for a moment, then for good."""
    checkpoint, files = project("runtime.checkpoint"), project("runtime.files")
    path = Path(OPTIONS["folder"]) / "last.pt"
    checkpoint.save_checkpoint(path, {"number": 1}, {})
    file = path.open("rb")
    vars(files)["time"] = Clock(file.close)
    checkpoint.save_checkpoint(path, {"number": 2}, {})
    with path.open("rb"):
        vars(files)["time"] = Clock()
        try:
            checkpoint.save_checkpoint(path, {"number": 3}, {})
        except project("runtime.errors").ProjectError as error:
            message = str(error)
    number = checkpoint.load_checkpoint(path, {})["number"]
    return {"message": message, "number": number, "files": sorted(os.listdir(path.parent))}


class Clock:
    """Time that passes only by sleeping; something happens when it first does."""

    def __init__(self, event: Callable[[], None] = lambda: None) -> None:
        self.event, self.now_s = event, 0.0

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        self.event()


def not_killed() -> Any:
    with open_loader(make("Drawing", 2400), seed=1) as loader:
        return digest(batch.tolist() for batch in loader.epoch("data", 0, shuffle=True))


if __name__ == "__main__":
    faulthandler.enable(2)
    project("runtime.start").prepare_workers()
    print(json.dumps(globals()[CASE]()))
