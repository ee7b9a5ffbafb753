"""One place decides how data is loaded: facts go in, a LoaderPlan with its reasons comes out.

Everything here is a pure function, so that any machine can be tested on any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from .errors import ProjectError
from .machine import Machine
from .preflight import Parcel
from .start import StartMethod
from .worker import QUEUE_LENGTH

WORKER_BYTES = {"forkserver": 100e6, "spawn": 500e6}
"""Private memory set aside for a worker. On Linux, with a torch for the CPU, 19 MB and 153 MB were
measured; what a data set imports, and on Windows the libraries of CUDA, come on top."""
WORKER_FILES = 8
"""Descriptors that the main process holds for each worker: pipes and sentinels."""
MOST_PER_CPU = 4
"""Workers for each processor, at most: those that wait share one."""


@dataclass(frozen=True)
class Job:
    """What is to be loaded."""

    requested_workers: int | None  # a fixed number, or None for as many as are worth it
    batches: int  # to load in all
    batch_bytes: float  # size of one batch in memory
    parcel: Parcel  # what a worker receives when it starts
    timeout_s: float  # for one batch
    start_method: StartMethod
    device: str  # where the batches go, as in "cuda:0"


class Choice(NamedTuple):
    """A value, and one sentence that says why."""

    value: Any
    reason: str


class Limit(NamedTuple):
    """The most workers that one resource allows, and one sentence that says why."""

    workers: int
    reason: str


UNLIMITED = Limit(1024, "this system sets no limit")


@dataclass(frozen=True)
class LoaderPlan:
    """How batches will be loaded."""

    num_workers: Choice  # exactly so many if they were asked for, else at most
    is_fixed: bool
    start_method: Choice
    timeout_s: Choice
    pin_memory: Choice
    cpus: int

    def rows(self) -> list[tuple[str, Any, str]]:
        """Each decision, its value and the reason, to be shown."""
        workers, reason = self.num_workers
        if workers and not self.is_fixed:
            workers = f"0 to {workers}"
            reason = f"begins without, then measures what is worth it; {reason}"
        return [
            ("workers", workers, reason),
            ("start method", *self.start_method),
            ("timeout in seconds", *self.timeout_s),
            ("pinned memory", *self.pin_memory),
        ]


def plan_loader(machine: Machine, job: Job) -> LoaderPlan:
    """Decide what can be decided from the facts; the rest is measured while batches are loaded.

    Raises:
        ProjectError: workers were asked for, but the data sets cannot be sent to them.
    """
    return LoaderPlan(
        num_workers=choose_num_workers(machine, job),
        is_fixed=job.requested_workers is not None,
        start_method=Choice(*job.start_method),
        timeout_s=Choice(job.timeout_s, "a stall ends in an error that shows the line"),
        pin_memory=choose_pin_memory(job.device),
        cpus=machine.cpus,
    )


def choose_num_workers(machine: Machine, job: Job) -> Choice:
    """Choose how many processes load data, at most."""
    if job.requested_workers == 0:
        return Choice(0, "it was asked for")
    impossible = why_no_worker_can_run(machine, job)
    if impossible:
        return Choice(0, impossible)
    tightest = min((limit(machine, job) for limit in LIMITS), key=lambda limit: limit.workers)
    allowed = max(0, tightest.workers)
    if job.requested_workers is None:
        if machine.debugger:
            return Choice(0, f"{machine.debugger} is attached, and would miss what workers do")
        return Choice(allowed, tightest.reason)
    reason = "it was asked for"
    if job.requested_workers > allowed:
        reason += f", though {allowed} would be the most: {tightest.reason}"
    return Choice(job.requested_workers, reason)


def why_no_worker_can_run(machine: Machine, job: Job) -> str | None:
    """One sentence where worker processes are impossible, else None.

    Raises:
        ProjectError: they were asked for, and the cure is in the data set.
    """
    if machine.daemonic:
        return "this is a daemonic process, which may not have children"
    if job.parcel.obstacle and job.requested_workers:
        without = "--loader.num-workers 0"
        raise ProjectError(f"{job.parcel.obstacle} Without workers: {without}")
    return job.parcel.obstacle


def limit_by_cpus(machine: Machine, job: Job) -> Limit:
    """Workers that compute need a processor each, those that wait share one."""
    return Limit(MOST_PER_CPU * machine.cpus, machine.cpus_reason)


def limit_by_batches(machine: Machine, job: Job) -> Limit:
    """A worker loads whole batches."""
    return Limit(job.batches, f"there are {job.batches} batches to load")


def limit_by_memory(machine: Machine, job: Job) -> Limit:
    """Workers and the batches in flight may take half of the memory that is free."""
    batches_bytes = (QUEUE_LENGTH + 1) * job.batch_bytes
    worker_bytes = WORKER_BYTES[job.start_method.name] + job.parcel.pickled_bytes + batches_bytes
    return Limit(
        int(machine.memory_bytes / 2 / worker_bytes),
        f"{megabytes(machine.memory_bytes)} of memory are free, and half of it holds that many "
        f"workers of {megabytes(worker_bytes)}",
    )


def limit_by_shared_memory(machine: Machine, job: Job) -> Limit:
    """Tensors of a data set move to /dev/shm, once for all workers. Batches need nothing there."""
    free_bytes, tensor_bytes = machine.shared_memory_bytes, job.parcel.tensor_bytes
    if free_bytes is None or tensor_bytes <= free_bytes / 2:
        return UNLIMITED
    return Limit(
        0,
        f"the data set holds tensors of {megabytes(tensor_bytes)}, which workers would share by way "
        f"of /dev/shm, but it has {megabytes(free_bytes)} free (docker: --shm-size)",
    )


def limit_by_open_files(machine: Machine, job: Job) -> Limit:
    """Each worker holds descriptors of the main process."""
    if machine.open_files is None:
        return UNLIMITED
    return Limit(
        machine.open_files // 2 // WORKER_FILES,
        f"{machine.open_files} files may be open (ulimit -n), and a worker needs {WORKER_FILES}",
    )


LIMITS = (
    limit_by_cpus,
    limit_by_batches,
    limit_by_memory,
    limit_by_shared_memory,
    limit_by_open_files,
)


def choose_pin_memory(device: str) -> Choice:
    """Page-locked memory makes copies to a GPU asynchronous, and helps nothing else."""
    kind = device.partition(":")[0]
    if kind in ("cuda", "xpu"):
        return Choice(True, f"copies to {kind} overlap with computing")
    return Choice(False, f"it speeds up copies to CUDA and XPU devices only, and this is {kind}")


def megabytes(size_bytes: float) -> str:
    """A size for a sentence."""
    return f"{size_bytes / 1e6:,.0f} MB" if size_bytes >= 1e6 else f"{size_bytes / 1e3:,.1f} kB"
