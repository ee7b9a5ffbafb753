"""Decides from facts about torch what is well and what is not: pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .check import Check, fault_from_output
from .child import ONE_THREAD, Outcome

CUDA_INSTALL = (
    "python -m pip install --force-reinstall torch --index-url "
    "https://download.pytorch.org/whl/cu130"
)
"""Fetches the build for NVIDIA cards, in the place of another."""
SLOW_IMPORT_S = 20.0
"""Seconds that the import of torch takes where something is wrong with the disk."""
NAMES = (*ONE_THREAD, "KMP_AFFINITY", "GOMP_CPU_AFFINITY")
"""Variables that decide about threads."""


def check_torch(
    outcome: Outcome, nvidia: str | None, environment: Mapping[str, str]
) -> Iterator[Check]:
    """All checks of torch.

    Args:
        outcome: what became of its import in a child.
        nvidia: the NVIDIA card, if there is one.
        environment: the variables of this process.
    """
    facts = outcome.result
    if facts is None:
        what = "torch cannot be imported" if outcome.in_time else "the import of torch never ends"
        what += ", so the project was not tried"
        cure = "Install it anew: python -m pip install torch --index-url https://download.pytorch.org/whl/cpu"
        yield fault_from_output("torch", what, outcome.output, cure)
        return
    sentence = f"torch {facts['version']}, imported in {facts['import_s']:.1f} s"
    if facts["import_s"] > SLOW_IMPORT_S:
        cure = "Put the environment on a local disk: each process imports torch."
        yield Check("torch", "warning", sentence, cure)
    else:
        yield Check("torch", "ok", sentence)
    yield check_device(facts, nvidia)
    yield check_openmp(facts["openmp"])
    yield check_threads(facts, environment)


def check_device(facts: Mapping[str, Any], nvidia: str | None) -> Check:
    """An NVIDIA card needs the build of torch for it, and a driver that is new enough."""
    name, reason = facts["device"]
    sentence = f"{name}: {reason}"
    if not nvidia or facts["accelerator"]:
        return Check("device", "ok", sentence)
    sentence += f"; there is {nvidia}"
    if facts["build"] == "cuda":
        cure = "Install a newer driver from NVIDIA: this torch is built for CUDA."
        return Check("device", "warning", sentence, cure)
    sentence += f", which this torch, built for {facts['build']}, cannot use"
    cure = f"To use it: copier update, with cuda for gpu, and {CUDA_INSTALL}"
    return Check("device", "warning", sentence, cure)


def check_openmp(libraries: list[str]) -> Check:
    """Two copies of one OpenMP library end the process on Windows and macOS, or slow it down."""
    kinds = sorted(Path(library).name.split(".")[0].split("-")[0] for library in libraries)
    twice = {kind for kind in kinds if kinds.count(kind) > 1}
    paths = ", ".join(libraries)
    if twice:
        sentence = f"{' and '.join(sorted(twice))} is loaded twice: {paths}"
        cure = "Make a new environment with packages from one source, pip or conda."
        return Check("openmp", "warning", sentence, cure)
    return Check("openmp", "ok", f"loaded once: {paths}" if paths else "not loaded")


def check_threads(facts: Mapping[str, Any], environment: Mapping[str, str]) -> Check:
    """How many threads torch computes with, and whether a library bound the process."""
    before, after = facts["affinity"]
    given = ", ".join(f"{name}={environment[name]}" for name in NAMES if name in environment)
    sentence = f"torch computes with {facts['threads']}{f' ({given})' if given else ''}"
    if before is not None and after < before:
        sentence += f"; its import bound the process to {after} of {before} processors"
        cure = "Unset KMP_AFFINITY and GOMP_CPU_AFFINITY, or look which package brings OpenMP."
        return Check("threads", "warning", sentence, cure)
    return Check("threads", "ok", sentence)
