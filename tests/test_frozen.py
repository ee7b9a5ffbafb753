"""The executable: built once, and run where no library of Python can be reached."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from children import Ended, run_child
from rendering import Project, render
from running import TIMEOUT_S
from variants import DEFAULT

ANSWERS = {
    **DEFAULT,
    "frozen": "pyinstaller",
    "dataset": "tabular",
    "tracking": "tensorboard",
    "notebook": True,
}
"""With libraries that bring much of their own, and with data of which something is made."""
BUILD_S = 1800
"""Far more than it takes: 4 to 9 minutes on 2 processors that have much else to do."""
WORKERS = ["--loader.num-workers", "2"]
LONG = "20"
"""Epochs that keep workers for seconds. One takes 0.1 s, in which nobody may see a worker."""
RUN = ["train", *WORKERS, "--epochs", "2", "--save-every-steps", "5"]
REASON = {"forkserver": "a server that has imported", "spawn": "TMPDIR is too long"}

LOG = "digit_reader.log"
NEEDED = ["torch/bin/torch_shm_manager", "torch/lib/libtorch.so", "data/digits/train_labels.npy"]
UNNEEDED = ["torch/bin/test_api", "torch/bin/TCPStoreTest", "torch/bin/protoc.exe", "torch/test/x"]
LEFT_OUT = ("IPython", "jedi", "matplotlib", "pytest*", "pyarrow/*_flight.*", "torch/test")
"""What would lie in the bundle of this environment if the recipe did not say otherwise."""


@dataclass(frozen=True)
class Program:
    """The executable, and where and how it is started."""

    file: Path
    temporary: Path
    """Its folder for temporary files."""
    cwd: Path
    cache: Path
    """This person's folder for what is made from data."""

    def run(self, *arguments: str | Path, windowed: bool = False, **more: Any) -> Ended:
        """Run it with nothing in its environment but those two folders.

        Args:
            windowed: without stdout and stderr, as Windows starts a program without a terminal.
        """
        before = without_python()
        if windowed:
            before += ["sh", "-c", 'exec "$@" >&- 2>&-', "sh"]
        before += ["env", "-i", f"TMPDIR={self.temporary}", f"XDG_CACHE_HOME={self.cache}"]
        command = [*before, self.file, *arguments]
        return run_child(command, **{"cwd": self.cwd, "timeout_s": TIMEOUT_S, **more})

    def temporary_files(self) -> list[Path]:
        """What it left there, but for the folder in which torch keeps what it has compiled."""
        return [p for p in self.temporary.iterdir() if not p.name.startswith("torchinductor_")]

    def helpers(self, ended: Ended) -> list[str]:
        """The command lines of those processes that are this program once more."""
        return [line for line in ended.seen if line.startswith(str(self.file))]


def without_python() -> list[str | Path]:
    """What goes before a command so that it sees no library of Python."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
        return []  # this user may not have mounts of its own
    libraries = sorted({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
    script = 'mount -t tmpfs tmpfs "$1"; shift; ' * len(libraries)
    return ["unshare", "-rm", "sh", "-ec", f'{script}exec "$@"', "sh", *libraries]


def content(folder: Path) -> list[tuple[Path, int]]:
    """All files below a folder, each with the time of its last change in nanoseconds."""
    return sorted((path, path.lstat().st_mtime_ns) for path in folder.rglob("*"))


@pytest.fixture(scope="module")
def executable(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The executable in a folder with a difficult name; what it was made from is gone."""
    if sys.platform != "linux":
        pytest.skip("it is tried on Linux alone")
    project = render(template, tmp_path_factory.mktemp("frozen") / "it's mine", ANSWERS)
    built = run_child(
        [sys.executable, "-m", "PyInstaller", "--noconfirm", "packaging/digit_reader.spec"],
        cwd=project.folder,
        environment={"PYINSTALLER_CONFIG_DIR": project.folder / "cache"},
        timeout_s=BUILD_S,
    )
    assert built.code == 0, built.output
    bundle = tmp_path_factory.mktemp("given") / "Zoës Ordner"
    shutil.move(project.folder / "dist" / "digit_reader", bundle)
    shutil.rmtree(project.folder)
    return bundle / "digit_reader"


@pytest.fixture(params=["forkserver", "spawn"])
def method(request: pytest.FixtureRequest) -> str:
    """How workers start."""
    return str(request.param)


@pytest.fixture
def program(
    method: str, executable: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Program]:
    """The executable, in an environment that brings about the start method; it stays as it is."""
    # tmp_path holds the name of the test, and would be too long for both.
    temporary = tmp_path_factory.mktemp("t" if method == "forkserver" else "much too long" * 8)
    cwd = tmp_path / "a working folder"
    cwd.mkdir()
    before = content(executable.parent)
    yield Program(executable, temporary, cwd, tmp_path / "cache")
    assert content(executable.parent) == before


@pytest.mark.full
def test_it_trains_and_evaluates_with_workers_where_there_is_no_python(
    method: str, program: Program
) -> None:
    trained = program.run("train", *WORKERS, "--epochs", LONG)
    assert trained.code == 0, trained.output
    assert f"start method: {method} ({REASON[method]}" in trained.output
    assert trained.workers == 2
    # Training and testing have two workers each, and helpers of multiprocessing: the tracker of
    # resources, and with a fork server this one, and its copy that tries an import.
    assert 3 <= len(program.helpers(trained)) <= 4 + (3 if method == "forkserver" else 1)
    assert trained.left == []
    assert program.temporary_files() == []
    assert [path.name for path in program.cwd.iterdir()] == ["runs"]
    assert len(list(program.cwd.glob("runs/*/tensorboard/events*"))) == int(LONG)
    assert len(list(program.cache.glob("digit_reader/*"))) == 3  # the rows of three tables

    evaluated = program.run("evaluate", *WORKERS)
    assert "loading: a worker took" in evaluated.output
    assert evaluated.left == []
    (last,) = re.findall("^test accuracy .*", trained.output, re.M)
    assert evaluated.output.splitlines()[-1] == last


@pytest.mark.full
def test_ctrl_c_leaves_nothing_behind_and_the_run_can_go_on(program: Program) -> None:
    stopped = program.run(*RUN, signal_at=("loading: a worker", signal.SIGINT))
    assert stopped.code == 130, stopped.output
    assert stopped.workers > 0
    assert stopped.left == []
    assert program.temporary_files() == []
    (run_dir,) = program.cwd.glob("runs/*")
    assert stopped.output.splitlines()[-1].endswith(
        f'go on with: digit_reader train --resume "{run_dir}"'
    )
    resumed = program.run("train", "--resume", run_dir)
    assert resumed.code == 0, resumed.output
    assert "epoch   2/2" in resumed.output


@pytest.mark.full
def test_no_worker_outlives_a_program_that_is_killed(program: Program) -> None:
    killed = program.run(*RUN, signal_at=("epoch   1/2", signal.SIGKILL))
    assert killed.code == -signal.SIGKILL
    assert killed.workers == 2
    assert killed.left == []
    assert program.temporary_files() == []


@pytest.mark.full
@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_it_does_not_need_is_left_out(name: str, executable: Path) -> None:
    assert list(executable.parent.glob(f"_internal/{name}")) == []


@pytest.mark.full
@pytest.mark.parametrize("method", ["forkserver"], indirect=True)
def test_help_has_its_texts(program: Program) -> None:
    ended = program.run("train", "--help")
    assert ended.code == 0
    assert "Passes over the training set" in ended.output
    assert program.helpers(ended) == []


@pytest.mark.full
@pytest.mark.parametrize("method", ["forkserver"], indirect=True)
def test_the_doctor_finds_the_program_well_and_errors_are_explained(program: Program) -> None:
    ended = program.run("doctor", "--json")
    assert ended.code == 0, ended.output
    checks = {check["id"]: check for check in json.loads(ended.output)}
    assert "as a frozen program" in checks["start"]["sentence"]
    assert checks["two-workers"]["state"] == "ok"
    assert ended.left == []
    explained = program.run("explain", "RuntimeError: Too many open files")
    assert "`digit_reader doctor` shows it" in explained.output.replace("\n", " ")


@pytest.mark.full
@pytest.mark.parametrize("method", ["forkserver"], indirect=True)
def test_without_stdout_a_log_takes_its_place(program: Program) -> None:
    ended = program.run("train", *WORKERS, "--epochs", LONG, windowed=True)
    assert (ended.code, ended.output, ended.left) == (0, "", [])
    assert ended.workers == 2
    assert "test accuracy" in (program.cwd / LOG).read_text(encoding="utf-8")

    # Where nobody can write. The mistake must still be found somewhere.
    ended = program.run("train", windowed=True, cwd=Path("/proc"))
    assert (ended.code, ended.output) == (1, "")
    message = (program.temporary / LOG).read_text(encoding="utf-8")
    assert message.startswith("error: No folder for results can be made in /proc/runs")


@pytest.mark.parametrize(("options", "console"), [([], True), (["--windowed"], False)])
def test_the_recipe(
    options: list[str], console: bool, everything: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    (recipe,) = everything.folder.glob("packaging/*.spec")
    monkeypatch.setattr(sys, "argv", [str(recipe), *options])
    found = [(name, f"/site/{name}", "DATA") for name in (*NEEDED, *UNNEEDED)]
    analysis = Mock(binaries=found, datas=found)
    functions = {name: Mock() for name in ("PYZ", "EXE", "COLLECT")}
    words = {"SPECPATH": str(recipe.parent), "Analysis": Mock(return_value=analysis)}
    exec(compile(recipe.read_text(encoding="utf-8"), recipe, "exec"), {**words, **functions})
    assert functions["EXE"].call_args.kwargs["console"] is console
    _, binaries, datas = functions["COLLECT"].call_args.args
    assert [name for name, *_ in binaries] == [name for name, *_ in datas] == NEEDED
