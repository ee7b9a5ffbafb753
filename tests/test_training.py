"""Every variant runs: it trains with two real worker processes, and its own tests pass.

Variants for Linux run under the fork server. Those without Linux, and the default a second and a
third time, run as if on Windows or macOS, under spawn: see emulate/sitecustomize.py.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from children import Ended
from rendering import Project, render
from running import HERE, require_runnable, run_python
from variants import CODE_CHOICES, DEFAULT, Answers, covering

pytestmark = pytest.mark.full

VARIANTS = [{**DEFAULT, **row} for row in covering([DEFAULT], CODE_CHOICES)]
RUNS: list[tuple[Answers, str]] = [
    *((row, HERE if HERE in row["platforms"] else row["platforms"][-1]) for row in VARIANTS),
    (DEFAULT, "windows"),
    (DEFAULT, "macos"),
]
RESULTS = {"config.toml", "metrics.csv", "previous.pt"} | {
    f"{name}.{kind}" for name in ("last", "best") for kind in ("pt", "json")
}


def title(answers: Answers, system: str) -> str:
    """What is special about a variant, and the system that it runs on."""
    special = [
        "+".join(value) if name == "platforms" else f"{name[0]}={value}"[:12]
        for name, value in answers.items()
        if value != DEFAULT[name]
    ]
    return f"{ascii(' '.join(special) or 'default')[1:-1]} on {system}"


@pytest.mark.parametrize(("answers", "system"), RUNS, ids=[title(*run) for run in RUNS])
def test_a_variant_trains_with_two_workers_and_passes_its_own_tests(
    answers: Answers, system: str, template: Path, tmp_path: Path
) -> None:
    require_runnable(answers, system)
    project = render(template, tmp_path / "project", answers)
    train(project, system)
    ended = run_python(project, "-m", "pytest", "-p", "no:cacheprovider", system=system)
    assert ended.code == 0, ended.output
    assert re.search(r"\d+ passed", ended.output)
    assert ended.left == []


def train(project: Project, system: str) -> None:
    """Train for two epochs with two workers."""
    flags = ["--epochs", "2", "--loader.num-workers", "2"]
    ended = run_python(project, "-m", project.package, "train", *flags, system=system)
    assert_trained(project, ended, "forkserver" if system == "linux" else "spawn")


def assert_trained(project: Project, ended: Ended, method: str) -> None:
    """Look at all that must come of two epochs with two workers."""
    assert ended.code == 0, ended.output
    assert f"start method: {method} (" in ended.output
    assert "workers: 2 (it was asked for" in ended.output
    assert ended.workers >= 2
    assert ended.left == []

    (run_folder,) = (project.folder / "runs").iterdir()
    tracked = {"tensorboard"} if project.answers["tracking"] == "tensorboard" else set()
    assert {path.name for path in run_folder.iterdir()} == RESULTS | tracked
    with (run_folder / "metrics.csv").open(newline="") as file:
        assert [row["epoch"] for row in csv.DictReader(file)] == ["1", "2"]
    accuracy = re.search(r"test accuracy ([\d.]+)%", ended.output)
    assert accuracy and float(accuracy[1]) > 50  # ten classes: chance gives 10
