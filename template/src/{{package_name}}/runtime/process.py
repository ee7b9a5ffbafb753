"""One worker process, as the main process sees it: started, written to, ended."""

from __future__ import annotations

import contextlib
import logging
import time
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from threading import Thread
from typing import Any

from .debugging import HUNT, note_start
from .interrupt import interrupt_hidden
from .reader import BatchSource, Request
from .stacks import read_text
from .wire import receive
from .worker import Loaded, WorkerSettings, work

LEAVE_S = 1.0
"""Seconds that workers have to leave before they are killed. They hold nothing to lose."""


@dataclass(eq=False)
class Worker:
    """One worker process, and this end of its pipes."""

    number: int
    process: Any
    connection: Connection
    stacks: Connection
    tasks: deque[Any] = field(default_factory=deque)
    """What it was asked for and has not answered, in order."""
    collector: Thread | None = None
    ready: bool = False
    leaving: bool = False
    hangs: bool = False
    """Whether it was killed because it did not answer."""
    blameless: bool = False
    """Whether it may end because the system refused another one: a helper that starts both died."""


def start_worker(
    context: Any,
    number: int,
    source: BatchSource,
    mail: SimpleQueue[tuple[Worker, Any]],
    *,
    limit_s: float,
    pin_memory: bool,
) -> Worker:
    """Start a worker; it will say when it is ready.

    Args:
        mail: gets the worker and each message, and None when it is gone.

    Raises:
        OSError, EOFError: the system refused it, or the thread that takes what it sends.
    """
    ours, theirs = context.Pipe()
    stacks, their_stacks = context.Pipe(duplex=False)
    settings = WorkerSettings(number, limit_s, logging.getLogger().level, HUNT.is_on)
    process = context.Process(
        target=work,
        args=(settings, source, theirs, their_stacks),
        name=f"worker-{number}",
        daemon=True,
    )
    process.is_loader = True  # travels with it; whoever started a worker answers signals for it
    worker = Worker(number, process, ours, stacks)
    try:
        with interrupt_hidden():
            process.start()
        # Only the worker holds these ends from now on, so that they close when it dies.
        theirs.close()
        their_stacks.close()
        note_start(worker, context.get_start_method())
        collect_mail(worker, mail, pin_memory)
    except (
        BaseException
    ):  # also Ctrl-C, which strikes at any line: nobody else knows the worker yet
        end_worker(worker)
        raise
    return worker


def collect_mail(worker: Worker, mail: SimpleQueue[tuple[Worker, Any]], pin_memory: bool) -> None:
    """Have a thread take what a worker sends as soon as it comes, so that it never waits."""

    def collect() -> None:
        try:
            # On Windows this process holds the worker's ends too, until the worker has taken them
            # over: the death of one that still starts closes nothing.
            wait([worker.connection, worker.process.sentinel])
            if not worker.connection.poll():
                raise EOFError
            while True:
                mail.put((worker, receive(worker.connection, pin_memory=pin_memory)))
        except (EOFError, OSError):  # the pipe was closed, maybe in the middle of a message
            mail.put((worker, None))
        except Exception as error:  # what arrived cannot be unpickled, or not be pinned
            mail.put((worker, Loaded(None, None, error)))

    thread = Thread(target=collect, name=worker.process.name, daemon=True)
    try:
        thread.start()
    except RuntimeError as error:  # can't start new thread
        raise OSError(str(error)) from error
    worker.collector = thread


def post(worker: Worker, message: tuple[Request, int] | None) -> None:
    """Send a worker a request and a number of threads, or the wish that it leaves."""
    with contextlib.suppress(OSError):  # it is gone: its collector will say so
        worker.connection.send(message)


def end_workers(workers: list[Worker]) -> None:
    """Have all leave, and kill those that are too busy to do it."""
    for worker in workers:
        post(worker, None)
    deadline_s = time.monotonic() + LEAVE_S
    for worker in workers:
        worker.process.join(max(0.0, deadline_s - time.monotonic()))
        end_worker(worker)
    workers.clear()


def end_worker(worker: Worker) -> tuple[int, str]:
    """End a worker that is gone, or should be; returns its exit code and its last stack, if any."""
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()
    exit_code, stack = worker.process.exitcode, read_text(worker.stacks)
    if worker.collector:
        worker.collector.join(LEAVE_S)  # a pipe must not be closed while a thread reads from it
    worker.connection.close()
    worker.stacks.close()
    worker.process.close()
    return exit_code, stack
