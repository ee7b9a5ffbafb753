"""Every way in: the command, the file, a debugger, another program; and every way out."""

from __future__ import annotations

import re
import signal
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from children import Ended, run_child
from rendering import Project, render
from running import HERE, TIMEOUT_S, require_runnable, run_python
from variants import DEFAULT

pytestmark = pytest.mark.full
METHOD = "forkserver" if HERE == "linux" else "spawn"
TRAIN = ["train", "--epochs", "5", "--loader.num-workers", "2"]


@pytest.fixture(scope="module")
def project(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with default answers, in a folder with a difficult name."""
    require_runnable(DEFAULT, HERE)
    folder = tmp_path_factory.mktemp("entry") / "Zoës Ordner 数字" / "it's my project"
    return render(template, folder, DEFAULT)


def assert_trained(ended: Ended) -> None:
    assert ended.code == 0, ended.output
    assert "workers: 2 (it was asked for" in ended.output
    assert f"start method: {METHOD} (" in ended.output
    assert re.search(r"test accuracy \d", ended.output)
    assert ended.workers >= 2
    assert ended.left == []


def test_the_installed_command_trains_from_any_folder(project: Project, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False)
    places = {"base": str(environment), "platbase": str(environment)}
    site = Path(sysconfig.get_path("purelib", "venv", places))
    # It borrows torch and the rest from the environment of the tests.
    (site / "borrowed.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    python = Path(sysconfig.get_path("scripts", "venv", places)) / Path(sys.executable).name
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    install = ["install", "--no-deps", "--no-index", "--no-build-isolation", "--editable"]
    installed = run_child([*pip, *install, str(project.folder)], cwd=tmp_path, timeout_s=TIMEOUT_S)
    assert installed.code == 0, installed.output

    ended = run_child([python.parent / "digit-reader", *TRAIN], cwd=tmp_path, timeout_s=TIMEOUT_S)
    assert_trained(ended)
    assert len(list(tmp_path.glob("runs/*/best.pt"))) == 1


def test_the_file_of_the_entry_trains_from_any_folder(project: Project, tmp_path: Path) -> None:
    # As an editor's Run button does it, without anything installed.
    command = [sys.executable, str(project.source / "__main__.py"), *TRAIN]
    assert_trained(run_child(command, cwd=tmp_path, timeout_s=TIMEOUT_S))


OTHER_PROGRAM = """
import multiprocessing
import sys
from pathlib import Path

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    from digit_reader.data import make_dataset
    from digit_reader.runtime.loader import BatchLoader

    dataset = make_dataset(Path(sys.argv[2]), "train")
    with BatchLoader({"train": dataset}, 64, num_workers=2) as loader:
        print(*loader.plan.start_method)
        print(sum(len(labels) for _, labels in loader.epoch("train", 0)) == len(dataset))
    print("still", multiprocessing.get_start_method())
"""


@pytest.mark.parametrize("settled", ["spawn", "fork", "forkserver"])
def test_another_program_keeps_its_start_method_and_loads_safely(
    settled: str, project: Project, tmp_path: Path
) -> None:
    if sys.platform == "win32" and settled != "spawn":
        pytest.skip("Windows has only spawn")
    (tmp_path / "other.py").write_text(OTHER_PROGRAM)
    data = project.folder / "data"
    ended = run_python(project, "other.py", settled, data, system=HERE, cwd=tmp_path)
    assert ended.code == 0, ended.output
    first, cost, complete, last = ended.output.splitlines()
    assert first.startswith(METHOD)
    assert (f"goes on with {settled}" in first) == (settled != METHOD)
    assert cost.startswith("loading: a worker took ")
    assert complete == "True"
    assert last == f"still {settled}"
    assert ended.workers >= 2
    assert ended.left == []


PROGRAM_WITH_A_PROCESS = """
import os, signal, sys, time
import multiprocessing as mp
sys.path.insert(0, "src")

def sleep(connection):
    connection.send("ready")
    time.sleep(600)

if __name__ == "__main__":
    from PACKAGE.runtime.start import prepare_workers
    prepare_workers()
    for name in ("SIGTERM", "SIGINT"):
        ours, theirs = mp.Pipe()
        process = mp.Process(target=sleep, args=(theirs,), daemon=True)
        process.start()
        ours.recv()
        os.kill(process.pid, getattr(signal, name))
        process.join(60)
        print(name, process.exitcode)
"""


def test_a_process_of_ones_own_hears_signals(project: Project, tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no such signals")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM_WITH_A_PROCESS.replace("PACKAGE", project.package))
    ended = run_python(project, program, system=HERE)
    assert ended.code == 0, ended.output
    assert f"SIGTERM {-signal.SIGTERM}" in ended.output
    assert "SIGINT 1" in ended.output
    assert "KeyboardInterrupt" in ended.output
    assert ended.left == []


def test_under_a_debugger_the_main_process_loads(project: Project) -> None:
    commands = ["import json", "break json.load", "continue"]
    options = [option for command in commands for option in ("-c", command)]
    train = ["-m", project.package, "train", "--epochs", "1"]
    ended = run_python(project, "-m", "pdb", *options, *train, system=HERE)
    assert "workers: 0 (" in ended.output, ended.output
    assert re.search(r"test accuracy \d", ended.output)
    assert ended.workers == 0
    assert ended.left == []


@pytest.mark.parametrize(("command", "flag"), [("train", "--epochs"), ("evaluate", "--run-dir")])
def test_help_answers_without_importing_torch(command: str, flag: str, project: Project) -> None:
    options = ["-X", "importtime", "-m", project.package]
    ended = run_python(project, *options, command, "--help", system=HERE)
    assert ended.code == 0
    assert flag in ended.output
    imported = re.findall(r"\| +([\w.]+)$", ended.output, re.M)
    assert "tyro" in imported
    assert "torch" not in imported and "numpy" not in imported


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("train --epochs 0", "error: epochs is 0, but expected 1 or more."),
        ("train --device cuda", "error: --device cuda was asked for, but torch"),
        ("train --data-dir nowhere", "nowhere"),
        ("train --no-such-flag", "--no-such-flag"),
        ("tune --seconds 0", "error: seconds is 0.0, but expected a number above 0"),
        ("doctor --patience-s -1", "error: patience-s is -1.0, but expected a number from 0.1"),
        ("doctor --patience-s nan", "error: patience-s is nan, but expected a number from 0.1"),
    ],
)
def test_a_mistake_is_one_message_without_a_traceback(
    arguments: str, words: str, project: Project, tmp_path: Path
) -> None:
    command = ["-m", project.package, *arguments.split()]
    ended = run_python(project, *command, system=HERE, cwd=tmp_path)
    assert ended.code in (1, 2)
    assert words in ended.output
    assert "Traceback" not in ended.output
    assert ended.left == []


def test_ctrl_c_ends_the_run_and_its_workers_and_the_run_can_go_on(
    project: Project, tmp_path: Path
) -> None:
    if sys.platform == "win32":
        pytest.skip("Ctrl-C cannot be sent to one program on Windows")
    train = ["-m", project.package, "train", "--epochs", "3", "--loader.num-workers", "2"]
    ended = run_child(
        [sys.executable, *train],
        cwd=tmp_path,
        environment={"PYTHONPATH": project.folder / "src"},
        timeout_s=TIMEOUT_S,
        signal_at=("epoch   1/3", signal.SIGINT),
    )
    assert ended.code == 130, ended.output
    assert "Traceback" not in ended.output
    assert ended.left == []
    (run_folder,) = tmp_path.glob("runs/*")
    resume = ["-m", project.package, "train", "--resume", str(run_folder)]
    resumed = run_python(project, *resume, system=HERE, cwd=tmp_path)
    assert resumed.code == 0, resumed.output
    assert "epoch   3/3" in resumed.output
    assert "epoch   1/3" not in resumed.output


def test_workers_end_when_the_main_process_is_killed(project: Project, tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no signal that kills")
    ended = run_child(
        [sys.executable, "-m", project.package, "train", "--loader.num-workers", "2"],
        cwd=tmp_path,
        environment={"PYTHONPATH": project.folder / "src"},
        timeout_s=TIMEOUT_S,
        signal_at=("epoch   1/", signal.SIGKILL),
    )
    assert ended.code == -signal.SIGKILL
    assert ended.workers >= 2
    assert ended.left == []
