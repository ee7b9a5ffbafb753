"""Facts about this machine and this process: read here, weighed in plan.py.

Never imports torch, so that asking costs nothing.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import loky
import psutil


@dataclass(frozen=True)
class Machine:
    """What this process may use. Shares of several ranks on one machine are divided already."""

    platform: str
    """As in sys.platform."""
    cpus: int
    """Processors for this process."""
    cpus_reason: str
    """One sentence that says where that number comes from."""
    memory_bytes: int
    """Memory that can still be taken."""
    shared_memory_bytes: int | None
    """Free space in /dev/shm, where workers put batches; None where there is no such folder."""
    open_files: int | None
    """File descriptors that this process may hold; None where there is no limit."""
    debugger: str | None
    """What traces this process, if anything does."""
    daemonic: bool
    """Whether this is a daemonic process, which may not have children."""


def read_machine() -> Machine:
    """Read the facts as they are now."""
    local_ranks = positive_int(os.environ.get("LOCAL_WORLD_SIZE")) or 1
    cpus, cpus_reason = cpu_share(
        # Also knows affinity, container quotas, physical cores and the limit of Windows.
        available=loky.cpu_count(only_physical_cores=True),
        total=os.cpu_count() or 1,
        slurm_cpus=positive_int(os.environ.get("SLURM_CPUS_PER_TASK")),
        local_ranks=local_ranks,
    )
    return Machine(
        platform=sys.platform,
        cpus=cpus,
        cpus_reason=cpus_reason,
        memory_bytes=free_memory_bytes() // local_ranks,
        shared_memory_bytes=free_shared_memory_bytes(local_ranks),
        open_files=open_files_limit(),
        debugger=find_debugger(sys.gettrace(), monitoring_tool()),
        daemonic=multiprocessing.current_process().daemon,
    )


def positive_int(text: str | None) -> int | None:
    """The number in an environment variable, or None where it holds no number above 0."""
    return int(text) if text and text.isdecimal() and int(text) > 0 else None


def cpu_share(
    *, available: int, total: int, slurm_cpus: int | None, local_ranks: int
) -> tuple[int, str]:
    """Processors for this rank, and why: a share of what the machine lets this job use."""
    reason = f"this process may use {available} of the machine's {total} processors"
    if slurm_cpus is not None and slurm_cpus < available:
        available = slurm_cpus
        reason = f"SLURM_CPUS_PER_TASK gives this task {slurm_cpus} processors"
    if local_ranks > 1:
        reason += f", shared by {local_ranks} ranks"
    return max(1, available // local_ranks), reason


def free_memory_bytes() -> int:
    """Memory that this process can still take, on the machine and in its container."""
    available = int(psutil.virtual_memory().available)
    in_container = free_cgroup_bytes(Path("/sys/fs/cgroup"), Path("/proc/self/cgroup"))
    return available if in_container is None else min(available, in_container)


def free_cgroup_bytes(root: Path, membership: Path) -> int | None:
    """Memory left below the tightest limit of this process's control groups; None without one.

    Args:
        root: where the control groups are mounted, /sys/fs/cgroup.
        membership: the list of this process's groups, /proc/self/cgroup.
    """
    free_bytes = []
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers:  # version 2
            base, limit, usage, cache = root, "memory.max", "memory.current", "inactive_file"
        elif controllers == "memory":  # version 1
            base, limit, usage = root / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
            cache = "total_inactive_file"
        else:
            continue
        group = base / path.lstrip("/")
        for folder in (group, *group.parents):
            if folder == base.parent:
                break
            try:
                limit_bytes = int((folder / limit).read_text())  # "max" is no number
                used_bytes = int((folder / usage).read_text())
                lines_of_statistics = (folder / "memory.stat").read_text().splitlines()
                statistics = dict(line.split() for line in lines_of_statistics)
            except (OSError, ValueError):
                continue
            # The kernel gives cached file pages back when memory is asked for.
            used_bytes -= int(statistics.get(cache, 0))
            free_bytes.append(max(0, limit_bytes - used_bytes))
    return min(free_bytes, default=None)


def free_shared_memory_bytes(local_ranks: int) -> int | None:
    """This rank's share of the free space in /dev/shm."""
    if sys.platform != "linux":
        return None
    try:
        return int(psutil.disk_usage("/dev/shm").free) // local_ranks
    except OSError:
        return None


def private_memory_bytes(pid: int) -> int | None:
    """Memory of a process that it shares with no other; None where the system does not say."""
    try:
        return int(psutil.Process(pid).memory_full_info().uss)
    except (psutil.Error, OSError):
        return None


def open_files_limit() -> int | None:
    """How many file descriptors this process may hold."""
    if sys.platform == "win32":
        return None
    import resource  # Windows has no such module

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def raise_open_files_limit() -> None:
    """Lift the soft limit of open files to the hard one; each batch in flight holds several."""
    if sys.platform == "win32":
        return
    import resource  # Windows has no such module

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # macOS refuses its own "infinity"; 10240 is OPEN_MAX in its sys/syslimits.h.
    for limit in (hard, max(soft, 10240)):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
            return


def monitoring_tool() -> str | None:
    """The debugger registered with sys.monitoring (Python 3.12 and newer), if there is one."""
    monitoring = getattr(sys, "monitoring", None)
    return monitoring.get_tool(monitoring.DEBUGGER_ID) if monitoring else None


def find_debugger(trace_function: Any, monitoring_tool: str | None) -> str | None:
    """Name what debugs this process: breakpoints are not reached in worker processes.

    A debugger that is only imported traces nothing. Coverage measurement traces too, but does not
    mind workers.
    """
    if monitoring_tool:
        return monitoring_tool
    if trace_function is None:
        return None
    module = str(getattr(trace_function, "__module__", None) or type(trace_function).__module__)
    return None if module.split(".")[0] == "coverage" else module


def project_folder() -> Path:
    """The folder that holds data/: the project's own, wherever it is started from."""
    return Path(__file__).resolve().parents[3]
