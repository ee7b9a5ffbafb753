"""Decides from facts about the machine what is well and what is not: pure functions."""

from __future__ import annotations

from collections.abc import Iterator

from ..runtime.machine import Machine
from ..runtime.start import LONGEST_TEMPORARY_FOLDER, StartMethod
from .check import Check
from .surroundings import Surroundings

LOW_MEMORY_BYTES = 2e9
"""Two workers, the main process and its libraries need about as much."""
LOW_SHARED_MEMORY_BYTES = 256e6
"""Containers have 64 MB by default, which torch's own workers fill at once."""
FEW_FILES = 512
"""A limit below it is felt with a few dozen workers, or kept batches."""
SMALL_COMMIT_BYTES = 24e9
"""Memory and paging file together, below which some workers with CUDA's libraries fill them."""


def check_machine(machine: Machine, around: Surroundings, method: StartMethod) -> Iterator[Check]:
    """All checks that need no torch, in the order of a table."""
    yield check_python(around)
    yield check_start(machine, around)
    yield check_method(method)
    yield check_processors(machine)
    yield check_memory(machine)
    if machine.shared_memory_bytes is not None:
        yield check_shared_memory(machine.shared_memory_bytes)
    if machine.open_files is not None:
        yield check_open_files(machine.open_files)
    yield check_temporary_folder(around)
    if machine.platform == "win32":
        yield check_paging_file(machine, around)


def check_python(around: Surroundings) -> Check:
    """torch needs 64 bits."""
    sentence = f"{around.python}, {around.bits} bits, on {around.system}: {around.executable}"
    if around.bits < 64:
        return Check("python", "fault", sentence, "Install a 64-bit Python: torch has no other.")
    return Check("python", "ok", sentence)


def check_start(machine: Machine, around: Surroundings) -> Check:
    """How the program was started, and what traces it."""
    sentence = f"started {around.started}"
    if around.places:
        sentence += f", in {' and '.join(around.places)}"
    if machine.debugger:
        cure = "0 workers load then, so that breakpoints are reached; --debug says more."
        return Check("start", "warning", f"{sentence}, traced by {machine.debugger}", cure)
    return Check("start", "ok", sentence)


def check_method(method: StartMethod) -> Check:
    """The start method is right by itself; a program around this one may have settled another."""
    sentence = f"{method.name}: {method.reason}"
    if "goes on with" in method.reason:
        cure = "Let this program settle it: no set_start_method elsewhere."
        return Check("start-method", "warning", sentence, cure)
    return Check("start-method", "ok", sentence)


def check_processors(machine: Machine) -> Check:
    """With a single processor, workers help only where loading waits."""
    sentence = f"{machine.cpus} for this process: {machine.cpus_reason}"
    if machine.cpus == 1:
        cure = "Ask for more (docker --cpus, --cpus-per-task, affinity) if the machine has them."
        return Check("processors", "warning", sentence, cure)
    return Check("processors", "ok", sentence)


def check_memory(machine: Machine) -> Check:
    """Too little memory ends workers without a word."""
    sentence = f"{machine.memory_bytes / 1e9:.1f} GB can still be taken"
    if machine.memory_bytes < LOW_MEMORY_BYTES:
        cure = "Close other programs, or take fewer workers and smaller batches."
        return Check("memory", "warning", sentence, cure)
    return Check("memory", "ok", sentence)


def check_shared_memory(free_bytes: int) -> Check:
    """This project's batches need none of it; torch's own workers, and tensors of data sets, do."""
    sentence = f"{free_bytes / 1e6:,.0f} MB are free in /dev/shm"
    if free_bytes < LOW_SHARED_MEMORY_BYTES:
        cure = "Start the container with --shm-size=8g if a data set holds tensors."
        return Check("shared-memory", "warning", sentence, cure)
    return Check("shared-memory", "ok", sentence)


def check_open_files(limit: int) -> Check:
    """The limit after it was raised as far as this user may."""
    sentence = f"{limit:,} files may be open at once"
    if limit < FEW_FILES:
        cure = "Raise the hard limit: ulimit -Hn, or nofile in /etc/security/limits.conf."
        return Check("open-files", "warning", sentence, cure)
    return Check("open-files", "ok", sentence)


def check_temporary_folder(around: Surroundings) -> Check:
    """Processes meet in that folder."""
    folder = around.temporary_folder
    if folder is None:
        sentence = "no folder for temporary files can be written to"
        return Check("temporary-folder", "fault", sentence, "Set TMPDIR to a folder of your own.")
    if len(folder.encode("utf-8", "surrogateescape")) > LONGEST_TEMPORARY_FOLDER:
        sentence = f"{folder} has too long a name for a socket, so workers start slowly"
        cure = "Set TMPDIR to a short local folder, such as /tmp."
        return Check("temporary-folder", "warning", sentence, cure)
    return Check("temporary-folder", "ok", folder)


def check_paging_file(machine: Machine, around: Surroundings) -> Check:
    """Windows promises memory only as far as memory and paging file go together."""
    sentence = f"the paging file has {around.paging_bytes / 1e9:.1f} GB"
    if machine.memory_bytes + around.paging_bytes < SMALL_COMMIT_BYTES:
        cure = "Against WinError 1455: System > Advanced > Performance > Virtual memory."
        return Check("paging-file", "warning", sentence, cure)
    return Check("paging-file", "ok", sentence)
