"""What a worker process does. Imports little: each worker pays for it."""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections import deque
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import threadpoolctl
import torch

from .errors import LoadingError
from .reader import BatchReader, BatchSource, Cost, Request
from .stacks import descriptor
from .watchdog import Watchdog
from .wire import pack, send

QUEUE_LENGTH = 2
"""Requests that a worker holds: the one it works on, and one for the moment it is done."""


@dataclass(frozen=True)
class WorkerSettings:
    """What a worker is told when it starts."""

    number: int
    limit_s: float
    """Seconds that one batch may take."""
    log_level: int
    """The main process's level, since a new process does not inherit logging."""
    debug: bool = False
    """Whether to show stacks on request."""


class Ready(NamedTuple):
    """The first message of a worker."""

    boot_cpu_s: float
    """Processor time that it took to get there."""


class AtSample(NamedTuple):
    """Says which sample is loaded next, of a batch that is loaded with care."""

    sample: int


class Loaded(NamedTuple):
    """Answers a request: a batch and what it cost, or the exception that took its place."""

    batch: Any
    cost: Cost | None
    error: BaseException | None = None
    trace: str = ""
    """The traceback of the exception, which cannot travel with it."""


def work(
    settings: WorkerSettings, source: BatchSource, connection: Connection, stacks: Connection
) -> None:
    """Load the batches that are asked for, in that order, until the main process hangs up.

    Args:
        connection: brings requests, and takes the answers.
        stacks: takes the stack of a worker that stands still or crashes.
    """
    set_up(settings)
    stack_file = descriptor(stacks)
    faulthandler.enable(stack_file)  # for a crash
    if settings.debug:
        from .debugging import listen_in_worker  # only now, for it imports more

        listen_in_worker(stack_file)
    watchdog = Watchdog(settings.limit_s, stack_file)
    reader = BatchReader(source)
    requests: deque[Request] = deque()

    def report_sample(index: int) -> None:
        send(connection, AtSample(index))

    with contextlib.suppress(EOFError, OSError):  # the main process is gone, or has ended this
        send(connection, Ready(time.process_time()))
        while True:
            while not requests or connection.poll():
                message = connection.recv()
                if message is None:
                    return
                request, threads = message
                requests.append(request)
                reader.expect(request, threads)
            request = requests.popleft()
            watchdog.begin(request)
            try:
                at_sample = report_sample if request.careful else None
                send(connection, Loaded(*reader.load(request, at_sample)))
            except BaseException as error:  # also SystemExit: it means the run, not the worker
                send(connection, Loaded(None, None, portable(error), trace_of(error)))
            watchdog.end()


def portable(error: BaseException) -> BaseException:
    """The exception itself if it can travel, else another that has its text."""
    try:
        text, buffers = pack(error)
        copy = pickle.loads(text, buffers=buffers)
        assert type(copy) is type(error)
    except Exception:  # its type is local, or takes other arguments than it passes on
        return LoadingError(f"{type(error).__name__}: {error}")
    return error


def trace_of(error: BaseException) -> str:
    """The traceback of an exception, as Python prints it."""
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    return "in a worker process:\n\n" + "".join(lines)


def set_up(settings: WorkerSettings) -> None:
    """Make a good worker: one thread, quiet on Ctrl-C, gone with its parent, able to log."""
    # Terminals and clusters send these to every process; the main process answers them, once.
    for name in ("SIGINT", "SIGTERM", "SIGTSTP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    threading.Thread(target=end_with_parent, name="end-with-parent", daemon=True).start()
    use_one_thread()
    form = f"%(levelname)s worker {settings.number}: %(message)s"
    logging.basicConfig(level=settings.log_level, format=form)


def use_one_thread() -> None:
    """Leave the other cores to the other workers: torch, BLAS and OpenMP, and OpenCV."""
    torch.set_num_threads(1)
    threadpoolctl.threadpool_limits(1)
    if "cv2" in sys.modules:
        sys.modules["cv2"].setNumThreads(0)


def end_with_parent() -> None:
    """End this process as soon as its parent is gone, even if it was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
