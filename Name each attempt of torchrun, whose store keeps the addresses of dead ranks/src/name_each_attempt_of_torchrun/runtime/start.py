"""Start: how worker processes come to life here. Called once, before torch is imported.

`fork` is never used. It copies a process in the middle of whatever its threads were doing, and a
lock that one of them held stays locked in the copy for ever: the loader that hangs at its first
batch, without an error.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from typing import NamedTuple

from .errors import ProjectError
from .forkserver import warm_fork_server
from .machine import raise_open_files_limit

PLATFORMS = {"win32": "Windows", "darwin": "macOS", "linux": "Linux"}
"""The systems that the project was generated for, by their names in sys.platform."""
LONGEST_TEMPORARY_FOLDER = 75
"""Bytes. Linux allows 107 for the name of a socket, and the fork server appends 32."""


class StartMethod(NamedTuple):
    """How worker processes start, and one sentence that says why."""

    name: str
    reason: str


def choose_start_method(
    platform: str, already: str | None = None, temporary_folder: str = "/tmp"
) -> StartMethod:
    """Choose how workers start on a system.

    Args:
        platform: the system, as in sys.platform.
        already: the method that another program around this one has settled, if it has.
        temporary_folder: where the fork server would make its socket.

    Raises:
        ProjectError: the project was not generated for that system.
    """
    if platform not in PLATFORMS:
        raise ProjectError(
            f"This project was generated for {', '.join(PLATFORMS.values())}; this is {platform}. "
            "Choose this system too with: copier update"
        )
    method, reason = "spawn", f"on {PLATFORMS[platform]} each worker is a new Python"
    if platform == "linux" and len(os.fsencode(temporary_folder)) <= LONGEST_TEMPORARY_FOLDER:
        method, reason = "forkserver", "a server that has imported torch starts each worker at once"
    elif platform == "linux":
        reason = f"TMPDIR is too long for the socket of a fork server: {temporary_folder}"
    if already not in (None, method):
        reason += f"; the program around this one goes on with {already}"
    return StartMethod(method, reason)


def current_start_method() -> StartMethod:
    """The choice for this process."""
    # Asked with allow_none, since asking without it would settle the default.
    already = multiprocessing.get_start_method(allow_none=True)
    return choose_start_method(sys.platform, already, tempfile.gettempdir())


def prepare_workers(*, wanted: bool = True) -> None:
    """Settle how workers start and, on Linux, begin to import torch for them.

    Call it behind the main guard, before anything else can settle the default.

    Args:
        wanted: whether there will be workers at all.
    """
    # Threads of OpenMP spin while they wait for each other. With workers on the same processors that
    # wastes most of a step (measured on 2: up to 10 times slower). Read when torch is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    method = current_start_method()
    # Never forced: that would break what another program has made. Loaders name their method.
    if multiprocessing.get_start_method(allow_none=True) is None:
        multiprocessing.set_start_method(method.name)
    raise_open_files_limit()
    if wanted and method.name == "forkserver":
        warm_fork_server()
