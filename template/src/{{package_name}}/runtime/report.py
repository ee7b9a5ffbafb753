"""What a run says: a table of decisions, progress on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from .ranks import read_ranks


class Report:
    """Prints for people; the same words go to a file as plain lines. Of ranks, only 0 does."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(highlight=False, quiet=not read_ranks().is_first)

    def decisions(self, rows: Sequence[tuple[str, Any, str]]) -> None:
        """Print what was decided and why: name, value, reason."""
        if not self.console.is_terminal:
            for name, value, reason in rows:
                self.line(f"{name}: {value} ({reason})")
            return
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        for name, value, reason in rows:
            table.add_row(f"[dim]{name}", f"[bold]{value}", f"[dim]{reason}")
        self.console.print(table)

    def line(self, text: str) -> None:
        """Print one line, never broken, whatever it holds."""
        self.console.print(text, markup=False, soft_wrap=True)

    def follow(self, batches: Iterable[Any], count: int, title: str) -> FollowedBatches:
        """Show progress through `count` batches, and measure how long each is waited for."""
        return FollowedBatches(batches, count, title, self.console)


class FollowedBatches:
    """Batches that are watched: `wait_s` and `total_s` say where the time went."""

    def __init__(self, batches: Iterable[Any], count: int, title: str, console: Console) -> None:
        self.batches, self.count, self.title, self.console = batches, count, title, console
        self.wait_s = 0.0
        """Seconds that the loop stood still because no batch was ready."""
        self.total_s = 0.0
        """Seconds from the first request to the end of the loop."""

    def __iter__(self) -> Iterator[Any]:
        progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self.console,
            transient=True,  # the epoch's line takes its place
        )
        started_s = time.perf_counter()
        iterator = iter(self.batches)
        with progress if self.console.is_terminal else nullcontext():
            task = progress.add_task(self.title, total=self.count)
            while True:
                asked_s = time.perf_counter()
                try:
                    batch = next(iterator)
                except StopIteration:
                    break
                finally:
                    self.wait_s += time.perf_counter() - asked_s
                yield batch
                progress.advance(task)
        self.total_s = time.perf_counter() - started_s

    @property
    def wait_share(self) -> float:
        """Share of the time that went into waiting for data, from 0 to 1."""
        return self.wait_s / self.total_s if self.total_s else 0.0
