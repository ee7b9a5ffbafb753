"""Watches one process at its work: what never ends becomes a stack that says where it stands."""

from __future__ import annotations

import faulthandler
import signal
from collections.abc import Callable
from threading import Event, Thread, current_thread, main_thread
from types import FrameType, FunctionType
from typing import Any

TICKS = 10
"""How often, within its limit, the watchdog looks at the work."""
NAME_LENGTH = 480
"""Of longer names, faulthandler writes only the beginning."""


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
            if explain:  # else this is a worker, which no terminal stops
                call_alarm_off_while_stopped()
            Thread(target=self._watch, name="watchdog", daemon=True).start()

    def begin(self, work: object) -> None:
        """Watch a piece of work."""
        if not self._armed:
            self._arm(TICKS - 1)  # work may begin a tick before the next look at it
        self.work = work

    def end(self) -> None:
        """The work is done."""
        self.work = None

    def _arm(self, ticks: int) -> None:
        self._armed = True
        faulthandler.dump_traceback_later(ticks * self._tick_s, exit=True, file=self._stack_file)

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
            elif ticks < TICKS - 2:
                self._arm(TICKS - 1 - ticks)
            elif self._explain:  # before the alarm goes off
                self._explain(work)
            last = work
        self._disarm()

    def close(self) -> None:
        """Call the alarm off."""
        self._closed.set()


def call_named(name: str, function: Callable[[Any], Any], argument: Any) -> Any:
    """Call a function so that every stack, one that C code writes too, has the name as a line."""
    # That code knows only frames, and of a frame only the name of its function.
    code = call.__code__.replace(co_name=name[:NAME_LENGTH])
    return FunctionType(code, globals())(function, argument)


def call(function: Callable[[Any], Any], argument: Any) -> Any:
    return function(argument)


def call_alarm_off_while_stopped() -> None:
    """Let Ctrl-Z and a cluster's suspension (SIGTSTP) stop the clock; the next tick starts it."""
    number = getattr(signal, "SIGTSTP", None)  # Windows does not have it
    if number is None or current_thread() is not main_thread():  # no other may set handlers
        return
    if signal.getsignal(number) is signal.SIG_DFL:
        signal.signal(number, stop_without_alarm)


def stop_without_alarm(number: int, frame: FrameType | None) -> None:
    """Do what the signal does by default, without an alarm that would go off at once after it."""
    faulthandler.cancel_dump_traceback_later()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)  # stands still here
    signal.signal(number, stop_without_alarm)
