"""Before any process starts: can the data sets travel to one, and if not, which part of them?"""

from __future__ import annotations

import functools
import inspect
import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import context
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any, NamedTuple

import torch

from .tensors import measure

MAX_DEPTH = 12
"""How deep the search for the culprit goes."""


class Parcel(NamedTuple):
    """What a worker receives when it starts."""

    pickled_bytes: int
    """Copied for each worker."""
    tensor_bytes: int
    """Memory of tensors, which is shared."""
    obstacle: str | None = None
    """What cannot travel, and the cure; None if all can."""


class NoProcess:
    """Stands for a process that is being started: locks and pipes travel only to such a one."""

    def DupFd(self, descriptor: int) -> int:  # noqa: N802
        return descriptor

    def duplicate_for_child(self, handle: int) -> int:
        return handle


@contextmanager
def as_if_starting() -> Iterator[None]:
    """Let objects pickle that may travel to a process at its start, and never later."""
    no_process: Any = NoProcess()
    context.set_spawning_popen(no_process)
    try:
        yield
    finally:
        context.set_spawning_popen(None)


class CountingPickler(ForkingPickler):
    """Pickles as a new process receives it, and keeps nothing but the sizes."""

    def __init__(self) -> None:
        self.pickled_bytes = 0
        self.tensor_bytes = 0
        super().__init__(self)

    def write(self, piece: Any) -> int:
        size = memoryview(piece).nbytes
        self.pickled_bytes += size
        return size

    def reducer_override(self, value: Any) -> Any:
        if type(value) is torch.Tensor and value.device.type == "cpu":
            # The real thing would move its memory into a shared place now.
            self.tensor_bytes += measure(value)
            return torch.Tensor, ()
        return NotImplemented


def weigh(named: Mapping[str, Any]) -> Parcel:
    """Pickle objects as for a worker.

    Args:
        named: the objects, by the names that people know them by.
    """
    pickler = CountingPickler()
    obstacle = None
    for name, value in named.items():
        if error := why_not(value, pickler):
            path, culprit, error = find_culprit(name, value, error)
            obstacle = f"{path} {describe(culprit)} and cannot travel to a worker ({error}). {CURE}"
            break
    return Parcel(pickler.pickled_bytes, pickler.tensor_bytes, obstacle)


CURE = (
    "Move functions and classes to the top level of a module; make files, locks and connections "
    "where they are first used, and drop them in __getstate__."
)


def why_not(value: Any, pickler: CountingPickler | None = None) -> Exception | None:
    """The reason why an object cannot be pickled."""
    try:
        with as_if_starting():
            (pickler or CountingPickler()).dump(value)
    except Exception as error:  # what is raised depends on the object
        return error
    return None


def find_culprit(path: str, value: Any, error: Exception) -> tuple[str, Any, Exception]:
    """Follow the attributes and items that cannot be pickled, down to the first that is to blame."""
    passed = [value]
    for _ in range(MAX_DEPTH):
        for step, part in parts_of(value):
            # What leads back to where the search was is not to blame.
            if not any(part is earlier for earlier in passed) and (part_error := why_not(part)):
                path, value, error = path + step, part, part_error
                passed.append(part)
                break
        else:
            break
    return path, value, error


def parts_of(value: Any) -> Iterator[tuple[str, Any]]:
    """What an object is made of, as far as pickle looks at it, and how Python gets there."""
    if isinstance(value, (list, tuple)):
        yield from ((f"[{number}]", part) for number, part in enumerate(value))
    elif isinstance(value, dict):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif inspect.ismethod(value):
        yield ".__self__", value.__self__
    elif isinstance(value, functools.partial):
        yield from ((f".{name}", getattr(value, name)) for name in ("func", "args", "keywords"))
    elif not inspect.isroutine(value) and not inspect.isclass(value):
        try:
            reduced = value.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        except Exception:  # as a whole, like a lock
            return
        state = reduced[2] if isinstance(reduced, tuple) and len(reduced) > 2 else None
        # A class with __slots__ has two dictionaries, and one of them may be None.
        for attributes in state if isinstance(state, tuple) else (state,):
            if isinstance(attributes, dict):
                yield from ((f".{name}", part) for name, part in attributes.items())


def describe(value: Any) -> str:
    """What an object is, for a sentence that begins with its path."""
    if not inspect.isfunction(value):
        kind = value.__qualname__ if inspect.isclass(value) else type(value).__qualname__
        return f"is {'the class' if inspect.isclass(value) else 'of class'} {kind}"
    what = "a lambda" if value.__name__ == "<lambda>" else f"the function {value.__qualname__}"
    file = Path(value.__code__.co_filename).name
    return f"is {what} defined at {file}:{value.__code__.co_firstlineno}"
