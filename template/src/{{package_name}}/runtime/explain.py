"""Says what an error usually means and what to do, for those that are known; offline.

Needs the standard library alone, for it is asked when something is not installed.
"""

from __future__ import annotations

import re
import sys
import textwrap
import traceback
from types import TracebackType

from .known_errors import KNOWN_ERRORS, KnownError
from .program import PROGRAM

WIDTH = 100
"""Columns. What a row says fits into two lines of that length, and all of it into five."""


def explain(text: str) -> KnownError | None:
    """The first known error one of whose texts is in a message; None if there is none.

    Args:
        text: anything that holds the message, such as all that a terminal shows.
    """
    for row in KNOWN_ERRORS:
        if any(re.search(pattern(wanted), text) for wanted in row.texts):
            return row
    return None


def pattern(text: str) -> str:
    """A regular expression for a text of the table; a terminal may have wrapped its lines."""
    lines = []
    for line in text.split("\n"):
        words = (r"[^\n]*?".join(map(re.escape, word.split("…"))) for word in line.split(" "))
        lines.append(r"\s+".join(words).replace("/", r"[/\\]"))  # Windows has the other slash
    return r"[\s\S]*?".join(lines)


def with_program(text: str) -> str:
    """Put this project's command into a sentence of the table."""
    return text.replace("python -m PACKAGE", PROGRAM)


def describe(row: KnownError) -> str:
    """At most five lines for people."""
    lines = (f"What this usually means ({row.id}): {row.meaning}", f"What to do: {row.cure}")
    wrapped = [textwrap.fill(with_program(line), WIDTH, break_on_hyphens=False) for line in lines]
    return "\n".join([*wrapped, f"More: {row.page}"])


def explain_uncaught() -> None:
    """From now on, after the traceback of an error that ends the program, say what it means.

    The error itself is left alone, so that debuggers and editors stop at it as ever.
    """
    show = sys.excepthook

    def show_and_explain(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        show(kind, error, trace)
        row = explain("".join(traceback.format_exception(kind, error, trace)))
        if row and sys.stderr:
            print(describe(row), file=sys.stderr)

    sys.excepthook = show_and_explain
