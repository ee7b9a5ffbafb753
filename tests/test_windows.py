"""Windows for real: its own Python, with torch, runs projects under Wine, and starts real workers.

The default project lies in a folder whose name Windows' old encodings cannot write, and prints in
one of them.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

import windows
from children import END_S, Ended, run_child, session_of
from rendering import Project, render
from running import PROGRAMS, TIMEOUT_S, all_samples, result
from test_notebook import ANSWERS, FUNCTIONS_OF_CELLS, cells_of
from test_notebook import assert_trained as assert_trained_in_cells
from test_training import assert_trained
from variants import DEFAULT

if sys.platform == "win32":
    pytest.skip("there is no Wine on Windows", allow_module_level=True)

import pexpect

pytestmark = pytest.mark.full


@pytest.fixture(scope="module", autouse=True)
def wine() -> Iterator[None]:
    """A Windows Python, laid out in a cache folder; nothing runs there when the tests are done."""
    if reason := windows.why_not():
        pytest.skip(reason)
    try:
        windows.set_up()
    except subprocess.CalledProcessError as error:
        pytest.skip(f"Windows could not be set up here: {error}")
    yield
    windows.stop()


@pytest.fixture(scope="module")
def project(thin_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The default project, in a folder whose name cp1252 does not have."""
    folder = tmp_path_factory.mktemp("windows") / "Zoës Ordner 数字" / "it's my project"
    return render(thin_template, folder, DEFAULT)


def run_windows(
    project: Project,
    *arguments: str | Path,
    cwd: Path | None = None,
    program: Path = windows.PYTHON_EXE,
    timeout_s: float = TIMEOUT_S,
) -> Ended:
    """Run `python ARGUMENTS` of Windows; what it starts may not outlive it."""
    ended = run_child(
        [sys.executable, windows.__file__, *arguments],
        cwd=cwd or project.folder,
        environment={
            "PYTHONPATH": search_path(project),
            "PYTHONIOENCODING": "",  # as ever there: cp1252
            "WINDOWS_PROGRAM": program,
        },
        timeout_s=timeout_s,
    )
    assert ended.left == []
    return ended


@contextmanager
def console(project: Project, *arguments: str, cwd: Path | None = None) -> Iterator[Any]:
    """Run `python ARGUMENTS` of Windows in a console of its own, as from a terminal."""
    windows.start_services()
    child = pexpect.spawn(
        windows.WINE,
        [str(windows.PYTHON_EXE), *arguments],
        cwd=cwd or project.folder,
        env={**windows.environment(), "PYTHONPATH": search_path(project), "TERM": "xterm"},
        timeout=TIMEOUT_S,
        encoding="utf-8",
        dimensions=(40, 150),
    )
    child.log = child.logfile_read = io.StringIO()
    try:
        yield child
        left = session_of(child.pid)
        assert psutil.wait_procs(left, timeout=END_S)[1] == []
    finally:
        child.close(force=True)


def search_path(project: Project) -> str:
    """PYTHONPATH for a project and the programs of the tests."""
    return ";".join(map(windows.path_there, [project.folder / "src", PROGRAMS]))


def load(project: Project, case: str, **options: Any) -> Ended:
    """Run a case of programs/loading.py."""
    return run_windows(project, PROGRAMS / "loading.py", project.package, case, json.dumps(options))


def test_a_project_for_windows_alone_passes_its_own_tests(
    thin_template: Path, tmp_path: Path
) -> None:
    project = render(thin_template, tmp_path / "project", {**DEFAULT, "platforms": ("windows",)})
    ended = run_windows(project, "-m", "pytest", "-p", "no:cacheprovider")
    assert ended.code == 0, ended.output
    assert re.search(r"\d+ passed", ended.output)
    assert "skipped" not in ended.output


def test_a_run_trains_with_two_workers_and_goes_on(project: Project) -> None:
    train = ["-m", project.package, "train", "--loader.num-workers", "2"]
    ended = run_windows(project, *train, "--epochs", "2")
    assert_trained(project, ended, "spawn")
    assert r"Ordner \u6570\u5b57" in ended.output  # what cp1252 lacks
    (run,) = (project.folder / "runs").iterdir()

    resumed = run_windows(project, *train, "--epochs", "3", "--resume", run)
    assert resumed.code == 0, resumed.output
    assert "epoch   3/3" in resumed.output
    assert "epoch   2/3" not in resumed.output


def test_the_doctor_finds_nothing_wrong(project: Project) -> None:
    ended = run_windows(project, "-m", project.package, "doctor", "--json")
    checks = {check["id"]: check for check in json.loads(ended.output)}
    assert {check["state"] for check in checks.values()} == {"ok"}, ended.output
    assert "spawn" in checks["start-method"]["sentence"]
    assert "paging-file" in checks
    assert "with the start" in checks["two-workers"]["sentence"]


def test_a_known_error_is_explained(project: Project) -> None:
    text = "OSError: [WinError 1455] The paging file is too small for this operation to complete"
    ended = run_windows(project, "-m", project.package, "explain", text)
    assert ended.code == 0, ended.output
    assert "docs/errors.md" in ended.output


def test_a_project_with_hdf5_trains_with_two_workers(thin_template: Path, tmp_path: Path) -> None:
    project = render(thin_template, tmp_path / "project", {**DEFAULT, "dataset": "hdf5"})
    train = ["-m", project.package, "train", "--loader.num-workers", "2"]
    ended = run_windows(project, *train, "--epochs", "2")
    assert_trained(project, ended, "spawn")


def test_help_is_shown(project: Project) -> None:
    ended = run_windows(project, "-m", project.package, "train", "--help")
    assert ended.code == 0
    assert "--epochs" in ended.output
    assert "usage: python -m digit_reader train" in ended.output


def test_workers_that_stall_crash_and_are_killed_are_replaced(
    project: Project, tmp_path: Path
) -> None:
    troubles = {"sleep": 21, "crash": 45, "kill": 83}
    dataset = {
        "dataset": ["Troubles", troubles],
        "arguments": {"folder": str(tmp_path), "length": 100},
    }
    options = {"num_workers": 2, "batch_size": 10, "timeout_s": 10}
    ended = load(project, "epochs", **dataset, **options)
    assert sum(result(ended)[0], []) == list(range(100))
    for end in (
        "stood still for 5 s",
        "ended with exit code 0xc0000005",
        "ended with exit code 15",
    ):
        assert end in ended.output
    assert re.search(r'datasets\.py", line \d+ in sleep', ended.output)
    assert re.search(r'datasets\.py", line \d+ in crash', ended.output)


def test_loaders_that_are_dropped_while_workers_start_leave_nothing(project: Project) -> None:
    ended = load(project, "dropped", times=1)
    assert result(ended) is True
    assert ended.workers >= 1


def test_a_worker_that_is_killed_before_it_is_ready_is_replaced(project: Project) -> None:
    assert result(load(project, "killed_at_start", length=12)) == all_samples(12)


def test_workers_end_when_the_main_process_is_killed(project: Project) -> None:
    ended = load(project, "suicide")
    assert "killed" in ended.output
    assert ended.workers == 2


def test_a_checkpoint_that_another_program_has_open_is_kept(
    project: Project, tmp_path: Path
) -> None:
    found = result(load(project, "open_file", folder=str(tmp_path)))
    assert re.fullmatch(
        r".*last\.pt cannot be written \(.*: is it open in another program\?\)\.", found["message"]
    )
    assert found["number"] == 2
    assert found["files"] == ["last.json", "last.pt", "previous.pt"]


def test_the_notebook_trains_and_cells_that_define_a_data_set_have_workers(
    thin_template: Path, tmp_path: Path
) -> None:
    project = render(thin_template, tmp_path / "project", ANSWERS)
    cells = [*cells_of(project), *FUNCTIONS_OF_CELLS]
    (tmp_path / "cells.json").write_text(json.dumps(cells))
    kernel = run_windows(project, "-m", "ipykernel", "install", "--user")
    assert kernel.code == 0, kernel.output
    ended = run_windows(project, PROGRAMS / "kernel.py", tmp_path / "cells.json")
    shown = result(ended)
    errors = [message for cell in shown for kind, message in cell if kind == "error"]
    assert errors == []
    assert len(shown) == len(cells)
    assert_trained_in_cells(str(shown), "spawn")


INTERRUPTED = """
import signal
import threading

from datasets import Base
from digit_reader.runtime.loader import BatchLoader

if __name__ == "__main__":
    interrupts = []
    signal.signal(signal.SIGINT, lambda *_: interrupts.append("Ctrl-C came"))
    with BatchLoader({"data": Base(8)}, 4, num_workers=1) as loader:
        threading.Timer(2, print, ["the worker is starting"]).start()
        print(len(list(loader.epoch("data", 0))), "batches;", *interrupts)
"""


def test_ctrl_c_at_a_console_reaches_no_worker_that_starts(
    project: Project, tmp_path: Path
) -> None:
    (tmp_path / "interrupted.py").write_text(INTERRUPTED)
    with console(project, "interrupted.py", cwd=tmp_path) as child:
        child.expect("the worker is starting")
        child.sendcontrol("c")
        child.expect("Ctrl-C came")
        child.expect(pexpect.EOF)
        assert "Traceback" not in child.log.getvalue()


def test_ctrl_c_at_a_console_ends_the_run_and_says_how_to_go_on(project: Project) -> None:
    with console(project, "-m", project.package, "train", "--epochs", "20") as child:
        child.expect("epoch   1/20")
        child.sendcontrol("c")
        child.expect("stopped by SIGINT; saved after the last step; go on with")
        child.expect(pexpect.EOF)
        child.wait()
        assert child.exitstatus == 130
        assert "Traceback" not in child.log.getvalue()


SMALL_CLI = """
import multiprocessing
import os
import sys

def square(number):
    return number**2, os.getpid()

def run(arguments):
    with multiprocessing.Pool(2) as pool:
        found = pool.map(square, range(20), chunksize=1)
    assert [value for value, _ in found] == [number**2 for number in range(20)]
    assert os.getpid() not in {process for _, process in found}
    print("frozen:", sys.frozen, arguments)
    return 0
"""


def test_a_frozen_program_starts_workers_and_never_itself(
    thin_template: Path, tmp_path: Path
) -> None:
    # The entry, the guard and the recipe of the project, around a program without torch.
    answers = {**DEFAULT, "platforms": ("windows",), "frozen": "pyinstaller"}
    project = render(thin_template, tmp_path / "a project", answers)
    kept = {project.source / name for name in ("__init__.py", "__main__.py")}
    entry = ("__init__.py", "bundle.py", "explain.py", "known_errors.py", "program.py")
    kept |= {project.source / "runtime" / name for name in entry}
    for file in set(project.source.rglob("*.py")) - kept:
        file.unlink()
    (project.source / "cli.py").write_text(SMALL_CLI)
    spec = f"packaging/{project.package}.spec"
    built = run_windows(project, "-m", "PyInstaller", "--noconfirm", "--log-level=WARN", spec)
    assert built.code == 0, built.output

    program = project.folder / "dist" / project.package / f"{project.package}.exe"
    ended = run_windows(project, "one", "two words", cwd=tmp_path, program=program)
    assert ended.code == 0, ended.output
    assert "frozen: True ['one', 'two words']" in ended.output
    assert 1 <= ended.workers <= 2


@pytest.mark.slow
def test_a_frozen_project_trains_on_windows(thin_template: Path, tmp_path: Path) -> None:
    answers = {**DEFAULT, "frozen": "pyinstaller"}
    project = render(thin_template, tmp_path / "a project", answers)
    spec = f"packaging/{project.package}.spec"
    build = ["-m", "PyInstaller", "--noconfirm", "--log-level=WARN", spec]
    built = run_windows(project, *build, timeout_s=2400)
    assert built.code == 0, built.output
    folder = tmp_path / "a program"
    (project.folder / "dist" / project.package).rename(folder)
    # Windows has its own, and Wine's is not enough for numpy.
    shutil.copy(windows.PYTHON / "ucrtbase.dll", folder)

    program = folder / f"{project.package}.exe"
    train = ["train", "--epochs", "2", "--loader.num-workers", "2"]
    ended = run_windows(project, *train, cwd=tmp_path, program=program)
    assert ended.code == 0, ended.output
    assert "start method: spawn" in ended.output
    assert re.search(r"test accuracy \d", ended.output)
    assert ended.workers == 2
    assert len(list(tmp_path.glob("runs/*/best.pt"))) == 1


UNGUARDED = """
from digit_reader.runtime.loader import BatchLoader
from datasets import Base

for batch in BatchLoader({"data": Base(64)}, 8, num_workers=1).epoch("data", 0):
    pass
"""


def test_a_program_without_a_guard_is_told_to_have_one(project: Project, tmp_path: Path) -> None:
    (tmp_path / "unguarded.py").write_text(UNGUARDED)
    ended = run_windows(project, "unguarded.py", cwd=tmp_path)
    assert ended.code == 1
    assert 'put what the program does behind  if __name__ == "__main__":' in ended.output
    assert "no worker could be started: each ended with exit code 1" in ended.output


UNPICKLABLE = """
from digit_reader.runtime.loader import BatchLoader
from datasets import Unpicklable

if __name__ == "__main__":
    BatchLoader({"train": Unpicklable()}, 8, num_workers=2)
"""


def test_what_cannot_be_pickled_is_named_before_a_worker_starts(
    project: Project, tmp_path: Path
) -> None:
    (tmp_path / "unpicklable.py").write_text(UNPICKLABLE)
    ended = run_windows(project, "unpicklable.py", cwd=tmp_path)
    assert ended.code == 1
    assert (
        "train_set.transform.steps[1].function is a lambda defined at datasets.py" in ended.output
    )
    assert ended.workers == 0
