"""Checks many files, in several processes if there are enough of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from spawnsafe.cache import Cache
from spawnsafe.check import Result, check_file
from spawnsafe.config import Settings

ENOUGH = 400
"""Below so many files, starting processes takes longer than it saves."""
AT_ONCE = 25

Job = tuple[Path, Settings]


def check_all(jobs: list[Job], cache: Cache, processes: int | None) -> Iterator[Result]:
    """The results, in the order of the files."""
    known = [cache.get(path, settings) for path, settings in jobs]
    todo = [job for job, result in zip(jobs, known, strict=True) if result is None]
    fresh = _check(todo, processes)
    for (_, settings), result in zip(jobs, known, strict=True):
        if result is None:
            result = next(fresh)
            cache.put(result, settings)
        yield result
    cache.save()


def _check(jobs: list[Job], processes: int | None) -> Iterator[Result]:
    count = processes or (min(usable_cpus(), 8) if len(jobs) >= ENOUGH else 1)
    if count == 1 or len(jobs) <= AT_ONCE:
        yield from map(check_one, jobs)
        return
    # What this tool asks of others holds for itself: the method is named, and workers import little.
    with ProcessPoolExecutor(min(count, 60), mp_context=get_context("spawn")) as pool:
        yield from pool.map(check_one, jobs, chunksize=AT_ONCE)


def check_one(job: Job) -> Result:
    path, settings = job
    return check_file(path, settings)


def usable_cpus() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
