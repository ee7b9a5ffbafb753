"""Watches one process at its work: what never ends becomes a stack that says where it stands."""

from __future__ import annotations

import faulthandler
from collections.abc import Callable
from threading import Event, Thread
from typing import Any

TICKS = 10
"""How often, within its limit, the watchdog looks at the work."""


class Watchdog:
    """Ends this process, with a stack, when one piece of work takes too long.

    To arm the alarm takes up to a millisecond, so it is done a few times within the limit rather
    than for each piece of work. The alarm is no Python: it goes off also when C code never gives
    the interpreter's lock back.

    Args:
        limit_s: seconds that one piece of work may take; None to watch nothing.
        stack_file: a descriptor for the stack.
        explain: called first, with the work, where Python still runs; may end the process itself.
    """

    def __init__(
        self,
        limit_s: float | None,
        stack_file: int,
        explain: Callable[[Any], None] | None = None,
    ) -> None:
        self.work: object = None
        """What this process does: another object for each piece of work, None in between."""
        self._stack_file = stack_file
        self._explain = explain
        self._closed = Event()
        self._armed = limit_s is None  # there is nothing to arm then
        if limit_s is not None:
            self._tick_s = limit_s / TICKS
            Thread(target=self._watch, name="watchdog", daemon=True).start()

    def begin(self, work: object) -> None:
        """Watch a piece of work."""
        if not self._armed:
            self._arm()
        self.work = work

    def end(self) -> None:
        """The work is done."""
        self.work = None

    def _arm(self) -> None:
        # Work may begin a tick before the next look at it: together they stay within the limit.
        self._armed = True
        seconds = (TICKS - 1) * self._tick_s
        faulthandler.dump_traceback_later(seconds, exit=True, file=self._stack_file)

    def _disarm(self) -> None:
        faulthandler.cancel_dump_traceback_later()
        self._armed = False

    def _watch(self) -> None:
        last, ticks = None, 0
        while not self._closed.wait(self._tick_s):
            work = self.work
            ticks = ticks + 1 if work is last else 0
            if work is None:
                self._disarm()
            elif ticks == 0:
                self._arm()
            elif ticks >= TICKS - 2 and self._explain:  # before the alarm goes off
                self._explain(work)
            last = work
        self._disarm()

    def close(self) -> None:
        """Call the alarm off."""
        self._closed.set()
