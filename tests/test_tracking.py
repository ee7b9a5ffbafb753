"""TensorBoard: what a run writes for it, and what has nothing to do with it."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

from children import Ended, run_child
from rendering import Project, render
from running import HERE, TIMEOUT_S, require_runnable
from variants import DEFAULT

pytestmark = pytest.mark.full

NOT_IN_A_WORKER = """

import multiprocessing
import sys

prepare = DigitArrays.prepare


def prepare_and_look(self, raw):
    if multiprocessing.parent_process() and "tensorboard" in sys.modules:
        raise ProjectError("a worker has imported tensorboard")
    return prepare(self, raw)


DigitArrays.prepare = prepare_and_look
"""


@pytest.fixture
def project(thin_template: Path, tmp_path: Path) -> Project:
    answers = {**DEFAULT, "tracking": "tensorboard"}
    require_runnable(answers, HERE)
    project = render(thin_template, tmp_path / "project", answers)
    with (project.source / "data.py").open("a", encoding="utf-8") as file:
        file.write(NOT_IN_A_WORKER)
    return project


def train(project: Project, *options: str | Path) -> Ended:
    ended = run_child(
        [sys.executable, "-m", project.package, "train", "--loader.num-workers", "2", *options],
        cwd=project.folder,
        environment={"PYTHONPATH": project.folder / "src"},
        timeout_s=TIMEOUT_S,
    )
    assert ended.code == 0, ended.output
    assert ended.workers == 2
    assert "arning" not in ended.output
    return ended


def test_tensorboard_shows_the_table_of_a_run_that_went_on(project: Project) -> None:
    train(project, "--epochs", "2")
    (run_dir,) = project.folder.glob("runs/*")
    # The second epoch once more, as after a crash, and a third one.
    train(project, "--resume", run_dir / "previous.pt", "--epochs", "3", "--learning-rate", "1e-3")
    with (run_dir / "metrics.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    shown = scalars(run_dir / "tensorboard")
    assert set(shown) == set(rows[0]) - {"epoch"}
    for name, points in shown.items():
        assert [step for step, _ in points] == [int(row["epoch"]) for row in rows]
        assert [value for _, value in points] == pytest.approx([float(row[name]) for row in rows])
    assert len(rows) == 3


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """What TensorBoard shows of a run: steps and values, by name."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder)).Reload()
    return {
        name: [(point.step, point.value) for point in events.Scalars(name)]
        for name in events.Tags()["scalars"]
    }
