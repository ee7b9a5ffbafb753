"""`train --debug`: what it shows of each process, on request, at a timeout, and of a NaN."""

from __future__ import annotations

import logging
import re
import signal
import sys
from pathlib import Path

import pytest

from children import Ended, run_child
from conftest import Load
from rendering import Project, render
from running import HERE, TIMEOUT_S, require_runnable, run_python, variables
from variants import DEFAULT, Answers

STALLS = """

class Stalling(DigitArrays):
    def prepare(self, raw: Any) -> Any:
        import logging
        import multiprocessing
        import threading

        if multiprocessing.parent_process():
            logging.info("looks at a digit")
            Path("show-stacks").touch()
            threading.Event().wait()  # for ever
        return super().prepare(raw)


DigitArrays = Stalling
"""
MAKES_NAN = """

class Wrong(DigitNet):
    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return super().forward(images) + torch.sqrt(self.classify.bias * 0).sum()


DigitNet = Wrong
"""


def test_without_the_flag_nothing_is_switched_on(load: Load) -> None:
    debugging = load("runtime.debugging")
    assert not debugging.HUNT.is_on
    assert debugging.LOG.handlers == []
    assert not debugging.LOG.isEnabledFor(logging.INFO)
    debugging.at_timeout("nobody")
    debugging.tell_helpers()
    assert not debugging.HUNT.workers
    assert not load("runtime.machine").read_machine().debug


def test_a_saved_setting_brings_no_workers_into_a_hunt(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    load("tune.saved").save(load("runtime.adapt").Setup(16, 3), 8)
    parse = load("cli").parse
    assert parse(["train"]).settings.loader.num_workers == 3
    assert parse(["train", "--debug"]).settings.loader.num_workers == "auto"
    given = parse(["train", "--debug", "--loader.num-workers", "2"])
    assert given.settings.loader.num_workers == 2


def test_a_file_that_was_written_is_noticed(load: Load, tmp_path: Path) -> None:
    by_file, path = load("runtime.stacks_by_file"), tmp_path / "show-stacks"
    assert by_file.written_at(path) == 0
    path.touch()
    assert by_file.written_at(path) == path.stat().st_mtime_ns


def own_project(template: Path, folder: Path, answers: Answers) -> Project:
    project = render(template, folder, answers)
    with (project.source / "data.py").open("a", encoding="utf-8") as file:
        file.write(STALLS)
    return project


def hunt(project: Project, system: str, signal_at: tuple[str, signal.Signals] | None) -> Ended:
    """Train with two workers that stand still, each of which is replaced once."""
    flags = ["--debug", "--loader.num-workers", "2", "--loader.timeout-s", "12"]
    ended = run_child(
        [sys.executable, "-m", project.package, "train", *flags],
        cwd=project.folder,
        environment=variables(project, system),
        timeout_s=TIMEOUT_S,
        signal_at=signal_at,
    )
    assert ended.code == 1, ended.output
    assert ended.left == []
    assert "cannot be loaded; it was tried 2 times" in ended.output
    assert "INFO worker 0: looks at a digit" in ended.output
    return ended


def line_that_waits(project: Project) -> str:
    lines = (project.source / "data.py").read_text(encoding="utf-8").splitlines()
    number = next(n for n, line in enumerate(lines, 1) if "# for ever" in line)
    return rf'data\.py", line {number} in prepare'


@pytest.mark.full
def test_a_signal_and_a_timeout_show_where_every_process_stands(
    thin_template: Path, tmp_path: Path
) -> None:
    require_runnable(DEFAULT, HERE)
    if sys.platform == "win32":
        pytest.skip("Windows has no such signal")
    project = own_project(thin_template, tmp_path / "own", DEFAULT)
    ended = hunt(project, HERE, ("INFO worker 1: looks at a digit", signal.SIGUSR1))
    method = "forkserver" if HERE == "linux" else "spawn"
    main = re.search(r"main process: pid (\d+);", ended.output)
    assert main and f"kill -USR1 {main[1]}" in ended.output
    started = dict(re.findall(rf"started (worker-\d) by {method}: pid (\d+)", ended.output))
    assert len(started) >= 2
    if HERE == "linux":
        assert re.search(r"started the fork server: pid \d+", ended.output)
    assert "[INFO/worker-0] child process calling self.run()" in ended.output
    asked, timed_out = ended.output.split("stands still; this is where all processes are:", 1)
    for text, workers in ((asked, ["worker-0", "worker-1"]), (timed_out, ["worker-"])):
        assert f"(above: the main process, pid {main[1]})" in text, ended.output
        for worker in workers:
            assert re.search(rf"{worker}\d*, pid \d+:\n[^\0]*?{line_that_waits(project)}", text), (
                ended.output
            )


@pytest.mark.full
def test_a_file_shows_it_where_there_are_no_signals(thin_template: Path, tmp_path: Path) -> None:
    answers: Answers = {**DEFAULT, "platforms": ("windows",)}
    require_runnable(answers, "windows")
    project = own_project(thin_template, tmp_path / "own", answers)
    ended = hunt(project, "windows", None)
    assert "write anything into the file" in ended.output
    assert re.search(r"started worker-0 by spawn: pid \d+", ended.output)
    assert re.search(r"^MainProcess, pid \d+:\n", ended.output, re.M)
    for worker in ("worker-0", "worker-1"):
        stack = rf"^{worker}, pid \d+:\n[^\0]*?{line_that_waits(project)}"
        assert re.search(stack, ended.output, re.M), ended.output


@pytest.mark.full
def test_the_main_process_does_all_and_a_nan_is_traced_in_a_resumed_run(
    thin_template: Path, tmp_path: Path
) -> None:
    require_runnable(DEFAULT, HERE)
    project = render(thin_template, tmp_path / "own", DEFAULT)
    train = ["-m", project.package, "train", "--debug"]
    ended = run_python(project, *train, "--epochs", "1", "--batch-size", "512", system=HERE)
    assert ended.code == 0, ended.output
    assert ended.workers == 0
    assert "workers: 0 (--debug has the main process load" in ended.output
    assert "fork server" not in ended.output
    with (project.source / "model.py").open("a", encoding="utf-8") as file:
        file.write(MAKES_NAN)
    (run,) = (project.folder / "runs").iterdir()
    ended = run_python(project, *train, "--resume", run, "--epochs", "2", system=HERE)
    assert ended.code == 1
    assert "workers: 0 (--debug has the main process load" in ended.output
    assert re.search(r"Function '\w+' returned nan values", ended.output), ended.output
    line = "torch.sqrt(self.classify.bias * 0)"
    assert re.search(rf'model\.py", line \d+, in forward\n.*{re.escape(line)}', ended.output)
