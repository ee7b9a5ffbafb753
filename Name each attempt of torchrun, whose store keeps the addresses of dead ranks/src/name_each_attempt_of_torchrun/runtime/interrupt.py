"""Ctrl-C, and a cluster's SIGTERM: answered at a good moment, or held back for a short one."""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TypeVar

Batch = TypeVar("Batch")
SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)
]
"""Ctrl-C; what clusters send before they take a machine back; Ctrl-Break on Windows."""


class Stopped(KeyboardInterrupt):
    """The run was asked to end, and did so between two steps: what it knows can be saved."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number
        self.run_dir: Path | None = None
        """Where the run was saved."""


class GracefulStop:
    """Lets a signal end the run after the step that is under way; a second one ends it at once."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._waits = False

    def __enter__(self) -> GracefulStop:
        self._before = {}
        if threading.current_thread() is threading.main_thread():  # no other may set handlers
            self._before = {number: signal.signal(number, self._answer) for number in SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _answer(self, number: int, frame: FrameType | None) -> None:
        if self._number is not None and not self._waits:
            raise KeyboardInterrupt(signal.Signals(number).name)
        self._number = number
        if self._waits:
            raise Stopped(number)

    def between_steps(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Yield batches; raise Stopped where the next one is asked for, if a signal came."""
        iterator = iter(batches)
        while True:
            if self._number is not None:
                raise Stopped(self._number)
            self._waits = True
            try:
                batch = next(iterator)
            except StopIteration:
                return
            finally:
                self._waits = False
            yield batch


def interrupt_held() -> AbstractContextManager[None]:
    """Answer Ctrl-C after the block.

    torch and numpy, while they are imported, swallow it, are left in pieces or abort the process.
    """
    return held_by_handler() if sys.platform == "win32" else held_by_mask()


def interrupt_hidden() -> AbstractContextManager[None]:
    """Start processes in the block that never see Ctrl-C: this one answers for them."""
    return hidden_by_console() if sys.platform == "win32" else held_by_mask()


@contextmanager
def held_by_mask() -> Iterator[None]:
    """Have the system hold the signal back."""
    if sys.platform == "win32":  # it has no such masks
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    restore = partial(signal.pthread_sigmask, signal.SIG_SETMASK, mask)
    try:
        yield
    finally:
        restore()


@contextmanager
def held_by_handler() -> Iterator[None]:
    """Note the signal, and raise it again at the end. Only the main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if came:
        signal.raise_signal(signal.SIGINT)


@contextmanager
def hidden_by_console() -> Iterator[None]:
    """Have Windows ignore it; processes inherit that. What is pressed meanwhile is lost."""
    if sys.platform != "win32":  # others have no such console
        yield
        return
    ctypes.windll.kernel32.SetConsoleCtrlHandler(None, True)
    try:
        yield
    finally:
        ctypes.windll.kernel32.SetConsoleCtrlHandler(None, False)
