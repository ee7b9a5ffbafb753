"""Facts about what is around this program: how it was started, and what else the doctor asks for."""

from __future__ import annotations

import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

NVIDIA_FILES = (
    "/proc/driver/nvidia/version",
    "/dev/dxg",  # the driver of Windows, as WSL shows it
    r"C:\Windows\System32\nvcuda.dll",
)
"""Files that are there if the driver of an NVIDIA card is installed."""
SMI_S = 10.0
"""Seconds that nvidia-smi may take."""


@dataclass(frozen=True)
class Surroundings:
    """What is around this program."""

    system: str
    python: str
    executable: str
    bits: int
    started: str
    """How this program was started."""
    places: tuple[str, ...]
    """What it runs in: a container, a cluster, an editor."""
    temporary_folder: str | None
    """None if there is none that can be written to."""
    nvidia: str | None
    """The NVIDIA card, or a file of its driver."""
    paging_bytes: int
    """Size of the paging file."""


def read_surroundings() -> Surroundings:
    """Read the facts as they are now."""
    return Surroundings(
        system=platform.platform(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        executable=sys.executable,
        bits=struct.calcsize("P") * 8,
        started=describe_start(sys.modules["__main__"], sys.argv[0]),
        places=places(os.environ, platform.release()),
        temporary_folder=writable_temporary_folder(),
        nvidia=find_nvidia(),
        paging_bytes=int(psutil.swap_memory().total),
    )


def describe_start(main: object, program: str) -> str:
    """How a program was started, as the end of a sentence.

    Args:
        main: its main module.
        program: its name on the command line, sys.argv[0].
    """
    if getattr(main, "__spec__", None) is not None:
        return "as a module (python -m)"
    if program.endswith(".py"):
        return f"by its file {Path(program).name}"
    if program in ("", "-", "-c"):
        return "from a console, without a file"
    return f"by the command {Path(program).name}"


def places(environment: Mapping[str, str], release: str) -> tuple[str, ...]:
    """What a program runs in, by the variables that such places set.

    Args:
        release: the version of the system's kernel, which WSL has a name of its own for.
    """
    marks = {
        "torchrun": "TORCHELASTIC_RUN_ID",
        "SLURM": "SLURM_JOB_ID",
        "Kubernetes": "KUBERNETES_SERVICE_HOST",
        "PyCharm": "PYCHARM_HOSTED",
        "VS Code": "VSCODE_PID",
        "Spyder": "SPYDER_ARGS",
        "an environment of conda": "CONDA_PREFIX",
    }
    found = [place for place, variable in marks.items() if environment.get(variable)]
    if environment.get("TERM_PROGRAM") == "vscode" and "VS Code" not in found:
        found.append("VS Code")
    if "microsoft" in release.lower():
        found.append("WSL")
    if any(map(os.path.exists, ("/.dockerenv", "/run/.containerenv"))):
        found.append("a container")
    return tuple(found)


def writable_temporary_folder() -> str | None:
    """The folder for temporary files; None if Python finds none that it can write to."""
    try:
        return tempfile.gettempdir()
    except OSError:
        return None


def find_nvidia() -> str | None:
    """The name of an NVIDIA card, by its own tool, or by a file of its driver; None without one."""
    if tool := shutil.which("nvidia-smi"):
        try:
            listed = subprocess.run(
                [tool, "-L"], capture_output=True, text=True, errors="replace", timeout=SMI_S
            )
        except (OSError, subprocess.TimeoutExpired):  # it hangs when the driver does
            return "a card whose nvidia-smi does not answer"
        if listed.returncode == 0 and listed.stdout.startswith("GPU"):
            return listed.stdout.splitlines()[0].partition("(")[0].strip()
    files = [file for file in NVIDIA_FILES if os.path.exists(file)]
    return f"a card with the driver {files[0]}" if files else None
