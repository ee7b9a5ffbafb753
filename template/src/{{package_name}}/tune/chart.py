"""Draws throughput against workers: as bars in the terminal, and as a PNG."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from .findings import Findings, Trial


def bars(findings: Findings, width: int, mark: str) -> Iterator[str]:
    """A line for each trial: what it was, samples per second, and a bar.

    Args:
        width: columns of the terminal.
        mark: the character that bars are made of.
    """
    figures_width = len("  123,456,789 samples/s  ")
    rows = [(str(trial.setup), trial) for trial in findings.measured]
    if findings.automatic:
        rows.append((f"automatic: {findings.automatic.setup}", findings.automatic))
    if findings.step:
        rows.append(("the step alone, without loading", findings.step))
    title_width = max((len(title) for title, _ in rows), default=0)
    most = max((trial.samples_per_s for _, trial in rows), default=0.0) or 1.0
    for title, trial in rows:
        rate = trial.samples_per_s
        bar = mark * max(1, round((width - title_width - figures_width) * rate / most))
        yield f"{title:<{title_width}}  {rate:>11,.0f} samples/s  {bar}"


def draw_png(findings: Findings, path: Path) -> str:
    """Draw the same as a picture; returns the sentence that says where it is, or why there is none."""
    try:
        # By its name, so that an executable, which has no use for it, does not take it along.
        figure_of = import_module("matplotlib.figure").Figure
    except ImportError:
        return "There is no picture, for matplotlib is missing: python -m pip install matplotlib"
    figure = figure_of(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for threads in sorted({trial.setup.threads for trial in findings.measured}):
        trials = [trial for trial in findings.measured if trial.setup.threads == threads]
        label = f"{threads} reading threads" if threads else "no reading threads"
        axes.plot(*points(trials), marker="o", label=label)
    for name, trial, style in (
        ("automatic", findings.automatic, "--"),
        ("the step alone", findings.step, ":"),
    ):
        if trial:
            axes.axhline(trial.samples_per_s, color="grey", linestyle=style, label=name)
    axes.set_xlabel("worker processes")
    axes.set_ylabel("samples per second")
    axes.set_ylim(bottom=0)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend()
    try:
        figure.savefig(path)
    except OSError as error:
        return f"There is no picture, for {path} cannot be written ({error.strerror})."
    return f"The picture is {path.absolute()}"


def points(trials: list[Trial]) -> tuple[list[int], list[float]]:
    """Numbers of workers, and samples per second."""
    return [t.setup.workers for t in trials], [t.samples_per_s for t in trials]
