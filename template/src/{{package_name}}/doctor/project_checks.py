"""Tries the project itself: its imports, its data sets, a few samples, a piece of an epoch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from .check import Check, fault_from_output
from .child import ONE_THREAD, Outcome, ask
from .stall import piece_id, stalls, why_it_stalls

IMPORTS_S, DATA_S, SAMPLES_S = 120.0, 60.0, 60.0
"""Limits in seconds."""
HEAVY_BYTES = 100e6
"""A pickled data set of which each worker gets a copy, above which that is felt."""
SLOW_SAMPLE_S = 20e-3
"""A sample that takes longer deserves a look."""
BATCHES = 24
"""In a piece of an epoch."""


def try_project(package: str, data_dir: Path, device: str, patience_s: float) -> Iterator[Check]:
    """All checks of the project, each in a child of its own.

    Args:
        device: where batches would go.
        patience_s: how long a batch may take before it counts as a stall.
    """
    yield from judge_imports(ask("imports", IMPORTS_S, ONE_THREAD, package=package))
    weighed = judge_datasets(ask("datasets", DATA_S, data_dir=data_dir))
    yield weighed
    if weighed.state == "fault":
        return
    yield judge_samples(ask("samples", SAMPLES_S, data_dir=data_dir))
    load = partial(ask, "piece", 40 + 3 * patience_s)  # the loader itself ends one that stalls
    for workers in (1, 2):
        piece: dict[str, Any] = {"data_dir": data_dir, "workers": workers, "batches": BATCHES}
        piece |= {"device": device, "patience_s": patience_s}
        outcome = load(**piece)
        if stalls(outcome):
            yield why_it_stalls(outcome, piece, load)
            return
        yield judge_piece(outcome, workers)


def judge_imports(outcome: Outcome) -> Iterator[Check]:
    """Importing a module should do nothing: every worker process imports some of them again."""
    facts = outcome.result
    if facts is None:
        what = "a module cannot be imported" if outcome.in_time else "an import does not end"
        yield fault_from_output("imports", what, outcome.output)
        return
    late = [found for found in facts["found"] if found["what"].endswith("too late")]
    others = [found for found in facts["found"] if found not in late]
    if others:
        sentence = "; ".join(map(describe_import, others))
        cure = "Do it in a function that main() calls: worker processes import modules again."
        yield Check("imports", "fault", sentence, cure)
    else:
        sentence = f"{facts['modules']} modules start nothing and touch no accelerator"
        yield Check("imports", "ok", sentence)
    if late:
        sentence = "; ".join(map(describe_import, late))
        cure = "Set it before the program starts, or at the top of __main__.py."
        yield Check("environment", "warning", sentence, cure)
    else:
        yield Check("environment", "ok", "no module sets a variable after it was read")


def describe_import(found: Mapping[str, str]) -> str:
    """Which import did what, and by way of which module of the project."""
    by = "" if found["module"] == found["importing"] else f", which {found['importing']} imports,"
    place = f" ({found['place']})" if found["place"] else ""
    return f"{found['module']}{by} {found['what']}{place}"


def judge_datasets(outcome: Outcome) -> Check:
    """Every data set has to travel to a worker, and should be small."""
    if outcome.result is None:
        what = "a data set cannot be made" if outcome.in_time else "to make a data set does not end"
        cure = "The message names the cure; --data-dir names the folder with the data."
        return fault_from_output("data-sets", what, outcome.output, cure)
    for found in outcome.result:
        if found["obstacle"]:
            sentence, _, cure = found["obstacle"].partition("). ")
            return Check("data-sets", "fault", f"{sentence})", cure)
    sizes = ", ".join(
        f"{found['split']} {found['length']:,} samples in {size(found['pickled_bytes'])}"
        for found in outcome.result
    )
    if max(found["pickled_bytes"] for found in outcome.result) > HEAVY_BYTES:
        cure = "Keep large arrays in files, and map them into memory: each worker gets a copy."
        return Check("data-sets", "warning", sizes, cure)
    return Check("data-sets", "ok", f"pickled: {sizes}")


def size(size_bytes: float) -> str:
    """A size for a sentence."""
    return f"{size_bytes / 1e6:,.1f} MB" if size_bytes >= 1e6 else f"{size_bytes / 1e3:,.1f} kB"


def judge_samples(outcome: Outcome) -> Check:
    """What a sample costs, and the line to blame if that is much."""
    facts = outcome.result
    if facts is None:
        what = "a sample cannot be loaded" if outcome.in_time else "a sample does not come"
        return fault_from_output("samples", what, outcome.output)
    typical_s, cpu_s = median(facts["seconds"]), median(facts["cpu_seconds"])
    costs = ", ".join(f"{1e3 * seconds:.2f}" for seconds in facts["seconds"])
    sentence = f"{costs} ms each, of which {1e3 * cpu_s:.2f} ms compute"
    if typical_s > SLOW_SAMPLE_S:
        slowest = facts["slowest"]
        sentence += f"; {slowest['share']:.0%} in {slowest['line']}: {slowest['text']}"
        cure = "Make that line cheaper, or do it once and store the result; workers share the rest."
        return Check("samples", "warning", sentence, cure)
    return Check("samples", "ok", sentence)


def judge_piece(outcome: Outcome, workers: int) -> Check:
    """A piece of an epoch came, or failed with an error; stall.py is for those that did not end."""
    id = piece_id(workers)
    facts = outcome.result
    if facts is None or facts["error"]:
        output = f"{outcome.output}\n{facts['error'] if facts else ''}"
        return fault_from_output(id, "a piece of an epoch fails", output)
    seconds = facts["seconds"]
    return Check(id, "ok", f"{facts['samples']} samples in {seconds:.1f} s, with the start")
