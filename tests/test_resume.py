"""A run that is stopped or killed at any moment goes on, and ends as if nothing had happened."""

from __future__ import annotations

import contextlib
import json
import math
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch

from children import END_S, Ended, run_child
from rendering import Project
from running import HERE, TIMEOUT_S, run_python

pytestmark = pytest.mark.full

EPOCHS, BATCHES = 3, 79
"""1,260 samples in batches of 16."""
SETTINGS = ["--epochs", str(EPOCHS), "--save-every-steps", "5", "--batch-size", "16"]
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signal")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such mounts")


@pytest.fixture(scope="module")
def whole(project: Project, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The end of a run that was never stopped, without workers."""
    runs_dir = tmp_path_factory.mktemp("whole")
    ended = train(project, *SETTINGS, "--loader.num-workers", "0", "--runs-dir", str(runs_dir))
    assert ended.code == 0, ended.output
    return end_of(next(runs_dir.iterdir()))


def train(project: Project, *options: str, tmpdir: Path | None = None, **more: Any) -> Ended:
    environment: dict[str, str | Path] = {"PYTHONPATH": project.folder / "src"}
    if tmpdir:
        environment["TMPDIR"] = tmpdir
    return run_child(
        [sys.executable, "-m", project.package, "train", *options],
        cwd=project.folder,
        environment=environment,
        timeout_s=TIMEOUT_S,
        **more,
    )


def end_of(run_dir: Path) -> dict[str, Any]:
    """All that a run ended with, as plain values, but for what depends on the clock."""
    state = torch.load(run_dir / "last.pt", weights_only=True)
    assert state["progress"]["epoch"] == EPOCHS
    for row in state["progress"]["history"]:
        del row["samples_per_s"], row["wait_share"]
    plain: dict[str, Any] = as_plain(state)
    return plain


def as_plain(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, dict):
        return {name: as_plain(part) for name, part in value.items()}
    return [as_plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def steps_done(runs_dir: Path) -> float:
    """How many steps the run has saved; infinitely many when it has saved its end."""
    try:
        (summary,) = runs_dir.glob("*/last.json")
        done = json.loads(summary.read_text(encoding="utf-8"))["done"]
    except (ValueError, OSError):
        return 0
    steps: int = done["epochs"] * BATCHES + done["batches_of_the_next"]
    return steps if done["epochs"] < EPOCHS else math.inf


def left_in(temporary: Path) -> list[str]:
    """What a run left in the folder for temporary files, but for torch's own cache."""
    return [path.name for path in temporary.iterdir() if "torchinductor" not in path.name]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_that_is_killed_again_and_again_ends_the_same(
    workers: str, project: Project, whole: dict[str, Any], tmp_path: Path
) -> None:
    runs_dir = tmp_path / "runs"
    choice = random.Random(7)
    steps, kills = 0.0, 0
    while steps < math.inf:
        options = ["--resume", str(next(runs_dir.iterdir()))] if kills else SETTINGS
        program = [sys.executable, "-m", project.package, "train", *options]
        flags = ["--loader.num-workers", workers, "--runs-dir", str(runs_dir)]
        child = psutil.Popen(
            [*program, *flags],
            cwd=project.folder,
            env={**psutil.Process().environ(), "PYTHONPATH": str(project.folder / "src")},
            stdout=subprocess.DEVNULL,
        )
        goal = steps + choice.randrange(1, 80)
        deadline_s = time.monotonic() + TIMEOUT_S
        while child.poll() is None and steps_done(runs_dir) < goal:
            assert time.monotonic() < deadline_s
            time.sleep(choice.random() / 50)
        family = []
        with contextlib.suppress(psutil.NoSuchProcess):  # it was done before
            family = child.children(recursive=True)
            child.kill()
        child.wait()
        _, alive = psutil.wait_procs(family, timeout=END_S)
        assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
        steps, kills = steps_done(runs_dir), kills + 1
    assert kills >= 3
    (run_dir,) = runs_dir.iterdir()
    assert end_of(run_dir) == whole
    assert not list(run_dir.glob("*.tmp"))


@pytest.mark.parametrize("workers", ["0", "2", "auto"])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@posix_only
def test_a_signal_ends_the_run_after_the_step_and_says_how_to_go_on(
    name: str, workers: str, project: Project, whole: dict[str, Any], tmp_path: Path
) -> None:
    number = signal.Signals[name]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    flags = [*SETTINGS, "--loader.num-workers", workers, "--runs-dir", str(tmp_path / "runs")]
    ended = train(project, *flags, tmpdir=temporary, signal_at=("epoch   1/3", number))
    assert ended.code == 128 + number, ended.output
    assert "Traceback" not in ended.output
    last = ended.output.splitlines()[-1]
    assert last.startswith(f"stopped by {name}; saved after the last step; go on with: ")
    assert ended.left == []
    assert left_in(temporary) == []

    (run_dir,) = (tmp_path / "runs").iterdir()
    command = re.search(r"python -m (\S+ train --resume .*)", last)
    assert command and command[1].endswith(str(run_dir))
    assert train(project, "--resume", str(run_dir)).code == 0
    assert end_of(run_dir) == whole


@posix_only
def test_a_run_whose_main_process_is_killed_leaves_nothing(
    project: Project, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    flags = [*SETTINGS, "--loader.num-workers", "2", "--runs-dir", str(tmp_path / "runs")]
    kill = ("epoch   1/3", signal.SIGKILL)
    ended = train(project, *flags, tmpdir=temporary, signal_at=kill)
    assert ended.code == -signal.SIGKILL
    assert ended.workers == 2
    assert ended.left == []
    assert left_in(temporary) == []


def test_a_damaged_checkpoint_is_named_and_the_one_before_it_offered(
    project: Project, whole: dict[str, Any], tmp_path: Path
) -> None:
    flags = ["--epochs", "2", *SETTINGS[2:], "--loader.num-workers", "0"]
    assert train(project, *flags, "--runs-dir", str(tmp_path)).code == 0
    (run_dir,) = tmp_path.iterdir()
    last = run_dir / "last.pt"
    last.write_bytes(last.read_bytes()[:2000])
    ended = train(project, "--resume", str(run_dir), "--epochs", "3")
    assert ended.code == 1
    message = ended.output.splitlines()[-1]
    assert f"{last} cannot be read, it may be damaged" in message
    previous = run_dir / "previous.pt"
    assert message.endswith(f"--resume {previous}")
    shutil.copyfile(previous, tmp_path / "kept.pt")
    (run_dir / "last.pt.123.tmp").touch()  # as a kill in the middle of saving leaves it
    assert train(project, "--resume", str(previous), "--epochs", "3").code == 0
    assert not list(run_dir.glob("*.tmp"))
    assert (run_dir / "last.pt").exists()


def test_the_cure_for_a_damaged_best_checkpoint_is_one(project: Project, tmp_path: Path) -> None:
    flags = ["--epochs", "2", "--batch-size", "256", "--loader.num-workers", "0"]
    assert train(project, *flags, "--runs-dir", str(tmp_path)).code == 0
    (run_dir,) = tmp_path.iterdir()
    best = run_dir / "best.pt"
    best.write_bytes(best.read_bytes()[:500])
    test = ["-m", project.package, "evaluate", "--run-dir"]
    ended = run_python(project, *test, str(run_dir), system=HERE)
    assert f"{best} cannot be read, it may be damaged. Copy last.pt over it" in ended.output
    shutil.copyfile(run_dir / "last.pt", best)
    assert run_python(project, *test, str(run_dir), system=HERE).code == 0
    # The file itself was meant well, but is no folder.
    ended = run_python(project, *test, str(best), system=HERE)
    assert f"{best / 'best.pt'} does not exist: name the folder of a run" in ended.output


FULL_DISK = """
import sys
from pathlib import Path
import torch
from PACKAGE.runtime.checkpoint import find_checkpoint, load_checkpoint, save_checkpoint
from PACKAGE.runtime.errors import ProjectError

run_dir = Path(sys.argv[1])
for number in range(100):
    try:
        save_checkpoint(run_dir / "last.pt", {"n": number, "x": torch.zeros(2**number)}, {"n": number})
    except ProjectError as error:
        assert "No space left" in str(error), error
        break
saved = load_checkpoint(find_checkpoint(run_dir), {})
assert saved["n"] in (number - 1, number), (saved["n"], number)
assert not list(run_dir.glob("*.tmp"))
print("kept", saved["n"])
"""


@linux_only
def test_a_full_disk_leaves_the_checkpoint_before(project: Project, tmp_path: Path) -> None:
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip("this user may not make a mount of its own")
    mount = f'mount -t tmpfs -o size=300k tmpfs "{tmp_path}" && exec "$@"'
    program = [sys.executable, "-c", FULL_DISK.replace("PACKAGE", project.package), str(tmp_path)]
    ended = run_child(
        ["unshare", "-m", "sh", "-c", mount, "sh", *program],
        cwd=project.folder,
        environment={"PYTHONPATH": project.folder / "src"},
        timeout_s=TIMEOUT_S,
    )
    assert ended.code == 0, ended.output
    assert int(ended.output.split()[-1]) > 3
