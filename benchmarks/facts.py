"""The machine, the versions and the day: what every number depends on."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from .child import ROOT

PACKAGES = ("torch", "numpy", "copier", "spdl", "grain", "torchdata", "torchfix", "ruff", "pillow")


def read_facts() -> dict[str, Any]:
    """What is written beside a result."""
    import loky
    import psutil

    return {
        "date": datetime.date.today().isoformat(),
        "commit": git_commit(),
        "machine": f"{platform.system()} {platform.release().partition('-')[0]}, {processor()}",
        "cpus": loky.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9),
        "load_before": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "versions": {name: version(name) for name in PACKAGES},
    }


def processor() -> str:
    """The name of the processor, where the system says it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def version(package: str) -> str | None:
    """The version that is installed, or None."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def git_commit() -> str:
    """The commit that is measured; projects are rendered from it."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def describe(facts: dict[str, Any]) -> str:
    """One sentence for people."""
    versions = ", ".join(f"{name} {v}" for name, v in facts["versions"].items() if v)
    load = facts["load_before"]
    return (
        f"Measured on {facts['date']} at commit {facts['commit']}: {facts['machine']}, "
        f"{facts['cpus']} processors, {facts['memory_gb']} GB; Python {facts['python']}, {versions}"
        + (f"; load before the run {load}." if load is not None else ".")
    )
