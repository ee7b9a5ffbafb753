"""The pipe through which the last stack of a worker comes, written by C code while it ends."""

from __future__ import annotations

import contextlib
import os
import sys
from multiprocessing.connection import Connection


def descriptor(pipe: Connection) -> int:
    """The file descriptor of a pipe, for C code that writes to it."""
    if sys.platform != "win32":
        return pipe.fileno()
    import msvcrt  # only Windows has it

    return msvcrt.open_osfhandle(pipe.fileno(), os.O_APPEND)


def read_piece(pipe: Connection) -> bytes:
    """The next piece of text; empty at the end."""
    # On Windows each write is a message; elsewhere it lacks the length that messages have.
    return pipe.recv_bytes() if sys.platform == "win32" else os.read(pipe.fileno(), 1 << 16)


def read_text(pipe: Connection) -> str:
    """All text in a pipe, of a process that is gone."""
    pieces = []
    with contextlib.suppress(OSError, EOFError):
        # Its end need not be closed: see collect_mail.
        while pipe.poll() and (piece := read_piece(pipe)):
            pieces.append(piece)
    return b"".join(pieces).decode("utf-8", "replace")
