"""The fork server of Linux, warmed up: it imports torch while the main process does the same.

The server is a small process that forks each worker from itself. It must be as clean as a fork
needs: what it imports may start no thread, or a lock could be copied while it is held.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver, resource_tracker, util
from pathlib import Path

from .interrupt import interrupt_held

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""numpy's OpenBLAS, for one, starts threads when it is imported unless told otherwise."""
TEMPORARY_FOLDER = "FORK_SERVER_TEMPORARY_FOLDER"
"""Tells the server what to remove if this process is killed and cannot do it itself."""


def warm_fork_server() -> None:
    """Start the server with torch and the data module in it; returns at once."""
    package = __name__.split(".", 1)[0]
    # Named explicitly, for the default is the main module, with all that a script does there.
    forkserver.set_forkserver_preload([f"{package}.runtime.preload"])
    # The server of Python before 3.12.8 does not learn sys.path (python/cpython#126538).
    source_folder = str(Path(__file__).resolve().parents[2])
    search_path = os.pathsep.join(filter(None, [source_folder, os.environ.get("PYTHONPATH")]))
    resource_tracker.ensure_running()  # before the block, since it lets Ctrl-C through at its end
    variables = {
        **ONE_THREAD,
        "PYTHONPATH": search_path,
        TEMPORARY_FOLDER: util.get_temp_dir(),  # holds the server's socket
    }
    with environment(variables), interrupt_held():
        forkserver.ensure_running()


@contextmanager
def environment(variables: dict[str, str]) -> Iterator[None]:
    """Set environment variables for the processes that are started inside the block."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
