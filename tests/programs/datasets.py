"""Data sets for the tests of loading: in a module, as workers need it."""

from __future__ import annotations

import ctypes
import faulthandler
import logging
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch


class Base:
    """A data set of `length` samples; sample i is made by `sample(i)`."""

    def __init__(self, length: int = 64) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Any:
        return self.sample(index)

    def sample(self, index: int) -> Any:
        return torch.tensor(index)


class Drawing(Base):
    """Reads a number and adds draws of all three generators to it."""

    def read(self, index: int) -> int:
        return index

    def prepare(self, raw: int) -> torch.Tensor:
        draws = [random.random(), float(np.random.random()), float(torch.rand(()))]
        return raw + torch.tensor(draws, dtype=torch.float64)

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.prepare(self.read(index))


class Computing(Drawing):
    """The same, and each sample costs 2 ms of computing."""

    def prepare(self, raw: int) -> torch.Tensor:
        end_s = time.thread_time() + 2e-3
        while time.thread_time() < end_s:
            pass
        return super().prepare(raw)


class Waiting(Drawing):
    """The same, and each sample is waited for 3 ms."""

    def read(self, index: int) -> int:
        time.sleep(3e-3)
        return index


class Trouble(Base):
    """Does something bad at one sample, always or only the first time; `flag` remembers it."""

    def __init__(self, what: str, at: int, flag: Path | None = None, length: int = 64) -> None:
        super().__init__(length)
        self.what, self.at, self.flag = what, at, flag

    def sample(self, index: int) -> torch.Tensor:
        if index == self.at and not (self.flag and self.flag.exists()):
            if self.flag:
                self.flag.touch()
            getattr(self, self.what)()
        return torch.tensor(index)

    def sleep(self) -> None:
        time.sleep(1000)

    def hold_the_lock(self) -> None:
        libc: Any = ctypes.PyDLL(None)  # calls by way of PyDLL keep the interpreter's lock
        libc.sleep(1000)

    def kill(self) -> None:
        import psutil  # only here: what a worker imports is looked at

        psutil.Process().kill()

    def stop(self) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)

    def crash(self) -> None:
        faulthandler._read_null()  # type: ignore[attr-defined]  # for tests like this

    def leave(self) -> None:
        os._exit(7)

    def fail(self) -> None:
        raise LookupError("there is no such sample")

    def stop_iteration(self) -> None:
        raise StopIteration

    def fail_oddly(self) -> None:
        raise OddError(1, 2)

    def ask_to_exit(self) -> None:
        sys.exit(3)


class Troubles(Base):
    """Does several bad things, each once: at these samples, remembered in a folder."""

    def __init__(self, troubles: dict[str, int], folder: Path, length: int = 64) -> None:
        super().__init__(length)
        self.parts = [Trouble(what, at, folder / what) for what, at in troubles.items()]

    def sample(self, index: int) -> torch.Tensor:
        for part in self.parts:
            part.sample(index)
        return torch.tensor(index)


class OddError(Exception):
    """Cannot be pickled: it takes two arguments, and passes one on."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} and {second}")


class Odd(Base):
    """Samples of types that torch does not collate."""

    def sample(self, index: int) -> Any:
        return {
            "none": None,
            "text": f"sample {index}",
            "nested": [{"a": (index, [index])}],
            "array": np.arange(index % 5),
            "tensor": torch.arange(index % 7, dtype=torch.bfloat16),
            "scalar": torch.tensor(index % 2 == 0),
            "large": torch.full((300, 100), index, dtype=torch.int16).t(),
            "sparse": torch.eye(3).to_sparse(),
            "parameter": torch.ones(2, requires_grad=True),
        }


class Large(Base):
    """Samples of 62.5 MB."""

    def sample(self, index: int) -> torch.Tensor:
        return torch.full((62_500_000,), index, dtype=torch.uint8)


class AboutItself(Base):
    """Samples that tell about the process that loads them."""

    def sample(self, index: int) -> dict[str, Any]:
        time.sleep(0.02)
        logging.getLogger("tests").info("sample %d", index)
        return {
            "pid": os.getpid(),
            "threads": torch.get_num_threads(),
            "modules": sorted(sys.modules),
            "ignores_interrupt": signal.getsignal(signal.SIGINT) is signal.SIG_IGN,
        }


class Unpicklable(Base):
    """Has something deep inside that cannot be sent to a worker; only after a read, if `later`."""

    def __init__(self, *, later: bool = False) -> None:
        super().__init__()
        self.transform = Compose([str, Step(None if later else (lambda sample: sample))])
        self.file: Any = None
        self.later = later

    def sample(self, index: int) -> torch.Tensor:
        if self.later and self.file is None:
            self.file = open(__file__, encoding="utf-8")  # noqa: SIM115
        return torch.tensor(index)


class Compose:
    def __init__(self, steps: list[Any]) -> None:
        self.steps = steps


class Step:
    def __init__(self, function: Any) -> None:
        self.function = function


def as_list(samples: list[Any]) -> list[Any]:
    """Collates nothing."""
    return samples
