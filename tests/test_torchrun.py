"""Several processes of torchrun train as one: on one machine, and what becomes of them at its end."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.distributed.run import get_args_parser

from children import Ended, run_child
from conftest import Load
from rendering import Project
from running import PROGRAMS, TIMEOUT_S

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signal")
ALONE: dict[str, str] = {}
OF_TWO = {"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}
EPOCHS, BATCHES = 3, 79
"""1,260 samples in batches of 16: 2 ranks have one too many for the last step, 3 have one too few."""
SETTINGS = ["--epochs", str(EPOCHS), "--batch-size", "16", "--no-augment"]
LONG = ["--epochs", "1000"]

SPY = '''
"""Notes which samples a rank trains on, and ends it where the test wants it."""
import hashlib, os, signal
from pathlib import Path
from .runtime.ranks import read_ranks

def spy(images, model, progress):
    rank, folder = read_ranks().rank, Path(os.environ["SPY"])
    if progress.step.own_samples:
        names = [hashlib.md5(image.numpy().tobytes()).hexdigest() for image in images]
        with (folder / f"seen-{progress.epoch}-{rank}").open("a") as file:
            file.write("".join(f"{name}\\n" for name in names))
    weights = b"".join(weights.detach().numpy().tobytes() for weights in model.parameters())
    (folder / f"weights-{rank}").write_text(hashlib.md5(weights).hexdigest())
    end, _, batches = os.environ.get("END", "").partition("@")
    is_first_try = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0") == "0"
    if end and rank == 1 and is_first_try and progress.epoch == 1 and progress.batches >= int(batches):
        if end == "raise":
            raise ValueError("broken on purpose")
        os.kill(os.getpid(), getattr(signal, end))
'''


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        (ALONE, (0, 1, 0, 1)),
        ({"RANK": "3"}, (0, 1, 0, 1)),  # another program's
        (OF_TWO, (1, 2, 1, 2)),
        ({**OF_TWO, "WORLD_SIZE": "8", "RANK": "7"}, (7, 8, 1, 2)),
    ],
)
def test_a_process_knows_its_rank(
    variables: dict[str, str], expected: tuple[int, ...], load: Load
) -> None:
    ranks = load("runtime.ranks").read_ranks(variables)
    assert tuple(ranks) == expected
    assert ranks.are_many == (expected[1] > 1) and ranks.is_first == (expected[0] == 0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"RANK": "one"}, "RANK is one, but expected a number"),
        ({"RANK": "-1"}, "RANK is -1, but expected a number"),
        ({"RANK": "²"}, "RANK is ², but expected a number"),
        ({"LOCAL_RANK": ""}, "LOCAL_RANK is missing, but expected a number"),
        ({"RANK": "2"}, "RANK is 2, but expected less than WORLD_SIZE, which is 2"),
        ({"WORLD_SIZE": "0"}, "RANK is 1, but expected less than WORLD_SIZE, which is 0"),
        ({"LOCAL_RANK": "4"}, "expected less than LOCAL_WORLD_SIZE, which is 2"),
        ({"LOCAL_WORLD_SIZE": "4"}, "LOCAL_WORLD_SIZE is 4, but expected at most WORLD_SIZE"),
    ],
)
def test_nonsense_in_the_environment_is_named(
    change: dict[str, str], words: str, load: Load
) -> None:
    with pytest.raises(load("runtime.errors").UsageError, match=re.escape(words)):
        load("runtime.ranks").read_ranks({**OF_TWO, **change})


def test_each_rank_has_an_accelerator_of_its_own(load: Load) -> None:
    device, errors = load("runtime.device"), load("runtime.errors")
    second = load("runtime.ranks").read_ranks(OF_TWO)
    two = {"found": "cuda", "count": 2, "build": "2.13.0+cu130", "ranks": second}
    assert device.decide_device("auto", **two).name == "cuda:1"
    assert device.decide_device("cuda", **two).name == "cuda:1"
    assert device.decide_device("cpu", **two).name == "cpu"
    for requested, facts, words in (
        ("auto", {**two, "count": 1}, "torchrun started 2 ranks on this machine"),
        ("cuda", {**two, "count": 1}, "torchrun started 2 ranks on this machine"),
        ("cuda:0", two, "cannot share it: --device cuda gives each its own"),
        ("mps", {**two, "found": "mps", "count": 1}, "cannot share it: train on the CPU"),
    ):
        with pytest.raises(errors.ProjectError, match=re.escape(words)):
            device.decide_device(requested, **facts)
    assert device.decide_device("auto", **{**two, "found": "mps", "count": 1}).name == "cpu"


@pytest.mark.parametrize(
    ("given", "name"), [("job-7", "job-7"), ("a/../b c", "a-..-b-c"), ("none", None), ("", None)]
)
def test_a_run_of_torchrun_has_the_same_name_in_each_attempt(
    given: str, name: str | None, load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, checkpoint = load("runtime.files"), load("runtime.checkpoint")
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    assert files.torchrun_run() is None
    other = files.new_run_folder(tmp_path)
    (other / "last.pt").touch()
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", given)
    assert files.torchrun_run() == files.torchrun_run()
    assert name is None or files.torchrun_run() == name
    assert checkpoint.find_start(None, tmp_path) is None
    folder = files.new_run_folder(tmp_path)
    assert checkpoint.find_start(None, tmp_path) is None  # nothing was saved yet
    (folder / "last.pt").touch()
    assert checkpoint.find_start(None, tmp_path) == folder / "last.pt"
    assert checkpoint.find_start(other, tmp_path) == other / "last.pt"
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "another")
    assert checkpoint.find_start(None, tmp_path) is None


def torchrun(processes: int, *arguments: str | Path) -> list[str | Path]:
    """The command line of torchrun with so many processes on this machine."""
    launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(processes)]
    return [*launcher, *arguments]


@pytest.fixture(scope="module")
def spied(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project, with a spy in its training loop."""
    copy = Project(tmp_path_factory.mktemp("spied") / "project", project.answers)
    shutil.copytree(project.folder, copy.folder)
    (copy.source / "spy.py").write_text(SPY)
    loop = copy.source / "train.py"
    text = loop.read_text(encoding="utf-8")
    last = "        progress.add(loss, len(labels))\n"
    assert text.count(last) == 1
    text = text.replace(last, "        spy(images, model, progress)\n" + last)
    loop.write_text(text.replace("from .model import", "from .spy import spy\nfrom .model import"))
    return copy


def train(
    project: Project,
    processes: int,
    spy: Path,
    *options: str,
    launcher: tuple[str, ...] = (),
    end: str = "",
    **more: Any,
) -> Ended:
    """Train with torchrun, or without it where there is one process."""
    spy.mkdir(exist_ok=True)
    program = ["-m", project.package, "train", *options, "--runs-dir", str(spy / "runs")]
    command = torchrun(processes, *launcher, *program)
    return run_child(
        command if processes > 1 else [sys.executable, *program],
        cwd=project.folder,
        environment={"PYTHONPATH": project.folder / "src", "SPY": spy, "END": end},
        timeout_s=TIMEOUT_S,
        **more,
    )


def seen(spy: Path, epoch: int) -> Counter[str]:
    """How often each sample was trained on in an epoch, over all ranks."""
    files = sorted(spy.glob(f"seen-{epoch}-*"))
    return Counter(name for file in files for name in file.read_text().split())


def run_of(spy: Path) -> Path:
    (run_dir,) = (spy / "runs").iterdir()
    return run_dir


def assert_finished(spy: Path, ended: Ended, ranks: int) -> None:
    """The run saw each sample once in each epoch, learned, and all ranks ended alike."""
    assert ended.code == 0, ended.output
    assert ended.left == []
    once = seen(spy, 0)
    assert sum(once.values()) == 1260
    for epoch in range(1, EPOCHS):
        assert seen(spy, epoch) == once
    state = torch.load(run_of(spy) / "last.pt", weights_only=True)
    assert state["progress"]["epoch"] == EPOCHS
    assert not any(name.startswith("module.") for name in state["model"])
    assert state["progress"]["history"][-1]["accuracy"] > 0.93
    weights = {(spy / f"weights-{rank}").read_text() for rank in range(ranks)}
    assert len(weights) == 1
    assert len(re.findall(r"^epoch   3/3", ended.output, re.M)) == 1


@pytest.mark.full
@pytest.mark.parametrize("processes", [2, 3])
def test_ranks_take_the_steps_of_one_process(processes: int, project: Project) -> None:
    ended = run_child(
        torchrun(processes, PROGRAMS / "ranks.py", project.package),
        cwd=project.folder,
        environment={"PYTHONPATH": project.folder / "src"},
        timeout_s=TIMEOUT_S,
    )
    assert ended.code == 0, ended.output
    found = json.loads(next(line for line in ended.output.splitlines() if line.startswith("{")))
    # 7 batches, the last of one sample: some ranks have none in the last step.
    assert found == {"samples": 13, "counted": [7, 13], "stands_in": 1, "first_says": 0}


@pytest.mark.full
def test_torchrun_trains_with_workers_in_each_rank_and_evaluates(
    spied: Project, tmp_path: Path
) -> None:
    ended = train(spied, 3, tmp_path, *SETTINGS, "--loader.num-workers", "2")
    assert_finished(tmp_path, ended, 3)
    assert ended.workers == 2 * 3
    assert ended.output.count("results go to") == 1

    evaluate: list[str | Path] = ["-m", spied.package, "evaluate", "--run-dir", run_of(tmp_path)]
    again = run_child(
        torchrun(2, *evaluate, "--batch-size", "100"),  # 358 samples: 2 batches for each rank
        cwd=spied.folder,
        environment={"PYTHONPATH": spied.folder / "src"},
        timeout_s=TIMEOUT_S,
    )
    said = re.compile(r"^test accuracy .*, on 358 samples that training never saw$", re.M)
    assert said.findall(again.output) == said.findall(ended.output) != [], again.output


def test_torchrun_takes_no_option_of_the_project_for_its_own(load: Load) -> None:
    config = load("config")
    parser = get_args_parser()
    commands = {"train": config.TrainConfig, "evaluate": config.EvaluateConfig}
    for command, settings in commands.items():
        for field in [*fields(settings), *fields(load("cli").Train)]:
            given = ["-m", "digits", command, f"--{field.name.replace('_', '-')}", "1"]
            assert parser.parse_args(given).training_script_args == given[2:]


@posix_only
@pytest.mark.parametrize(("variables", "code"), [(ALONE, -signal.SIGTERM), (OF_TWO, 0)])
def test_a_rank_that_fails_has_its_say_though_torchrun_ends_it(
    variables: dict[str, str], code: int, spied: Project
) -> None:
    program = f"""
import contextlib, os, signal
from {spied.package}.runtime.interrupt import GracefulStop
with contextlib.suppress(ValueError), GracefulStop():
    raise ValueError
os.kill(os.getpid(), signal.SIGTERM)
"""
    ended = run_child(
        [sys.executable, "-c", program],
        cwd=spied.folder,
        environment={"PYTHONPATH": spied.folder / "src", **variables},
        timeout_s=TIMEOUT_S,
    )
    assert ended.code == code, ended.output


@pytest.mark.full
@pytest.mark.parametrize(("name", "processes"), [("SIGINT", 1), ("SIGTERM", 3)])
@posix_only
def test_stopped_ranks_save_once_and_another_number_goes_on(
    name: str, processes: int, spied: Project, tmp_path: Path
) -> None:
    workers = ["--loader.num-workers", "1"]
    number = signal.Signals[name]
    ended = train(spied, 2, tmp_path, *SETTINGS, *workers, signal_at=("epoch   1/3", number))
    assert ended.code != 0 and ended.left == [], ended.output
    run_dir = run_of(tmp_path)
    last = [line for line in ended.output.splitlines() if line.startswith("stopped by ")]
    assert len(last) == 1, ended.output
    assert last[0].startswith(f"stopped by {name}; saved after the last step; go on with: ")
    assert last[0].endswith(f"--resume {run_dir}")
    assert "lost the others" not in ended.output
    state = torch.load(run_dir / "last.pt", weights_only=True)["progress"]
    samples = sum(seen(tmp_path, state["epoch"]).values())
    assert state["samples"] == samples and (samples < 1260 or state["epoch"] == EPOCHS - 1)

    ended = train(spied, processes, tmp_path, "--resume", str(run_dir), *workers)
    assert_finished(tmp_path, ended, processes)
    assert np.isfinite(state["loss_sum"].item())


@pytest.mark.full
@posix_only
def test_a_rank_that_fails_ends_all_with_its_own_traceback(spied: Project, tmp_path: Path) -> None:
    workers = ["--loader.num-workers", "2"]
    ended = train(spied, 3, tmp_path, *SETTINGS, *workers, end="raise@20")
    assert ended.code == 1 and ended.left == [], ended.output
    tracebacks = re.findall(r"^\[rank\d\]: Traceback", ended.output, re.M)
    assert tracebacks == ["[rank1]: Traceback"], ended.output
    summary = ended.output.partition("Root Cause")[2]
    assert re.search(r"rank      : 1 ", summary) and "ValueError: broken on purpose" in summary
    assert len(re.findall("Rank [02] has lost the others", ended.output)) <= 2


@pytest.mark.full
@pytest.mark.parametrize("end", ["raise@20", "SIGKILL@20"])
@posix_only
def test_torchrun_restarts_from_the_last_checkpoint(
    end: str, spied: Project, tmp_path: Path
) -> None:
    options = [*SETTINGS, "--save-every-steps", "5", "--loader.num-workers", "1"]
    ended = train(spied, 2, tmp_path, *options, launcher=("--max-restarts", "1"), end=end)
    assert ended.code == 0 and ended.left == [], ended.output
    run_dir = run_of(tmp_path)
    assert ended.output.count(f"results go to {run_dir}") == 2
    # What came after the last checkpoint was trained on again, and nothing else.
    repeated = sum(seen(tmp_path, 1).values()) - 1260
    assert 0 <= repeated <= 16 * 2 * 5
    assert seen(tmp_path, 2) == seen(tmp_path, 0)
    assert torch.load(run_dir / "last.pt", weights_only=True)["progress"]["epoch"] == EPOCHS


@pytest.fixture(scope="module")
def nodes_allowed() -> None:
    """Skips where a test may not make two networks on one machine."""
    attempt = ["unshare", "--net", "--uts", "--mount", "ip", "link", "add", "br0", "type", "bridge"]
    try:
        subprocess.run(attempt, check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("two nodes on one machine need Linux, its root, and Debian's iproute2")


def train_on_two_nodes(
    project: Project,
    spy: Path,
    happens: str,
    *options: str,
    launcher: Sequence[str] = (),
    **variables: str,
) -> list[tuple[int, str]]:
    """Train with one rank on each of two nodes; returns their exit codes and what they print."""
    switch: list[str | Path] = ["unshare", "--net", sys.executable, PROGRAMS / "nodes.py", happens]
    launcher = ["--nproc-per-node", "1", "--rdzv-id", "job-7", *launcher]
    program = ["-m", project.package, "train", *SETTINGS, "--loader.num-workers", "1", *options]
    ended = run_child(
        [*switch, *launcher, *program, "--runs-dir", spy / "runs"],
        cwd=project.folder,
        environment={"PYTHONPATH": project.folder / "src", "SPY": spy, **variables},
        timeout_s=TIMEOUT_S,
    )
    assert ended.code == 0 and ended.left == [], ended.output
    return [tuple(json.loads(line)) for line in ended.output.splitlines()[-2:]]


@pytest.mark.full
def test_two_nodes_go_on_after_the_end_of_a_rank(
    spied: Project, tmp_path: Path, nodes_allowed: None
) -> None:
    options, launcher = ["--save-every-steps", "5"], ["--max-restarts", "1"]
    nodes = train_on_two_nodes(
        spied, tmp_path, "nothing", *options, launcher=launcher, END="SIGKILL@20"
    )
    output = "\n".join(printed for _, printed in nodes)
    assert [code for code, _ in nodes] == [0, 0], output
    run_dir = run_of(tmp_path)
    assert run_dir.name.endswith("_job-7")
    assert output.count(f"results go to {run_dir}") == 2
    assert sum(seen(tmp_path, 0).values()) == 1260
    assert 0 <= sum(seen(tmp_path, 1).values()) - 1260 <= 16 * 2 * 5  # since the last checkpoint
    assert seen(tmp_path, 2) == seen(tmp_path, 0)
    assert torch.load(run_dir / "last.pt", weights_only=True)["progress"]["epoch"] == EPOCHS


@pytest.mark.full
def test_a_node_that_is_killed_ends_the_other(
    spied: Project, tmp_path: Path, nodes_allowed: None
) -> None:
    # Also: names of nodes may lead to 127.0.0.1 if gloo is told its network.
    hidden = {"HIDDEN": "", "GLOO_SOCKET_IFNAME": "eth0"}
    (code, printed), killed = train_on_two_nodes(spied, tmp_path, "kill", *LONG, **hidden)
    assert killed[0] == -signal.SIGKILL
    assert code == 1 and re.search(r"^error: Rank 0 has lost the others \(\w", printed, re.M)
    assert (run_of(tmp_path) / "last.pt").exists()


@pytest.mark.full
def test_a_node_goes_on_alone_where_torchrun_may(
    spied: Project, tmp_path: Path, nodes_allowed: None
) -> None:
    epochs = 20  # more than pass until the node is killed
    options = ["--epochs", str(epochs), "--save-every-steps", "5"]
    launcher = ["--nnodes", "1:2", "--max-restarts", "1", "--rdzv-conf", "last_call_timeout=1"]
    (code, printed), killed = train_on_two_nodes(
        spied, tmp_path, "kill", *options, launcher=launcher
    )
    assert killed[0] == -signal.SIGKILL
    assert code == 0 and f"epoch  {epochs}/{epochs}" in printed, printed
    assert printed.count(f"results go to {run_of(tmp_path)}") == 2
    trained = sum((seen(tmp_path, epoch) for epoch in range(epochs)), Counter())
    assert set(trained) == set(seen(tmp_path, 0))
    assert min(trained.values()) == epochs
    assert 0 <= sum(trained.values()) - epochs * 1260 <= 16 * 2 * 5  # since the last checkpoint


@pytest.mark.full
def test_a_node_that_is_cut_off_ends_both(
    spied: Project, tmp_path: Path, nodes_allowed: None
) -> None:
    nodes = train_on_two_nodes(spied, tmp_path, "cut", *LONG, "--loader.timeout-s", "10")
    # torchrun cannot reach its store, on the first node, from the second one, and is ended there.
    for rank, (expected, (code, printed)) in enumerate(
        zip((1, -signal.SIGKILL), nodes, strict=True)
    ):
        said = rf"^error: Rank {rank} has lost the others \(\w"
        assert code == expected and re.search(said, printed, re.M), printed
    assert "has not noticed the end of its rank 1" in nodes[1][1]
