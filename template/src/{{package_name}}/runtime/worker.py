"""What a worker process does before its first batch. Imports little: each worker pays for it."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
from types import TracebackType

import threadpoolctl
import torch


def init_worker(worker_id: int, *, log_level: int) -> None:
    """Make a good worker: one thread, quiet on Ctrl-C, gone with its parent, able to log.

    Args:
        worker_id: the worker's number, given by torch.
        log_level: the main process's level; spawned processes do not inherit logging.
    """
    # Ctrl-C reaches every process of the terminal; the main process answers it, once.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, name="end-with-parent", daemon=True).start()
    sys.excepthook = report_exception
    use_one_thread()
    form = f"%(levelname)s worker {worker_id}: %(message)s"
    logging.basicConfig(level=log_level, format=form)


def use_one_thread() -> None:
    """Leave the other cores to the other workers: torch, BLAS and OpenMP, and OpenCV."""
    torch.set_num_threads(1)
    threadpoolctl.threadpool_limits(1)
    if "cv2" in sys.modules:
        sys.modules["cv2"].setNumThreads(0)


def report_exception(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print an exception that nothing caught, unless it says that the main process hung up.

    torch hands batches over in a thread, which is often in the middle of that when the main
    process is interrupted.
    """
    if not issubclass(kind, (ConnectionError, EOFError)):
        sys.__excepthook__(kind, error, trace)


def end_with_parent() -> None:
    """End this process as soon as its parent is gone, even if it was killed.

    torch looks for the parent between batches only, so a busy worker would live on.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
