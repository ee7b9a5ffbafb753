"""Machine, device and start method: read where they differ, decided by facts that are given."""

from __future__ import annotations

import bdb
from pathlib import Path
from typing import Any

import pytest

from conftest import Load
from rendering import Project, render
from variants import DEFAULT

GB = 10**9


@pytest.mark.parametrize(
    ("platform", "already", "method", "reason"),
    [
        ("linux", None, "forkserver", "imported torch"),
        ("linux", "forkserver", "forkserver", "imported torch"),
        ("linux", "fork", "forkserver", "the program around this one goes on with fork"),
        ("linux", "spawn", "forkserver", "the program around this one goes on with spawn"),
        ("darwin", None, "spawn", "on macOS each worker is a new Python"),
        ("darwin", "fork", "spawn", "the program around this one goes on with fork"),
        ("win32", None, "spawn", "on Windows each worker is a new Python"),
        ("win32", "spawn", "spawn", "on Windows each worker is a new Python"),
    ],
)
def test_the_start_method_is_safe_on_each_system(
    platform: str, already: str | None, method: str, reason: str, load: Load
) -> None:
    chosen = load("runtime.start").choose_start_method(platform, already)
    assert chosen.name == method
    assert reason in chosen.reason
    assert ("goes on with" in chosen.reason) == (already not in (None, method))


def test_a_fork_server_needs_a_short_name_for_its_socket(load: Load) -> None:
    choose_start_method = load("runtime.start").choose_start_method
    assert choose_start_method("linux", None, "/t" + "m" * 73).name == "forkserver"
    chosen = choose_start_method("linux", None, "/t" + "m" * 74)
    assert chosen.name == "spawn"
    assert "TMPDIR is too long" in chosen.reason


def test_a_system_that_was_not_chosen_is_refused_with_the_cure(load: Load) -> None:
    with pytest.raises(load("runtime.errors").ProjectError, match="freebsd.*copier update"):
        load("runtime.start").choose_start_method("freebsd14")


@pytest.mark.parametrize(
    ("available", "total", "slurm", "ranks", "cpus", "reason"),
    [
        (8, 8, None, 1, 8, "may use 8 of the machine's 8 processors"),
        (4, 64, None, 1, 4, "may use 4 of the machine's 64 processors"),  # container or affinity
        (64, 64, 8, 1, 8, "SLURM_CPUS_PER_TASK gives this task 8"),
        (4, 64, 8, 1, 4, "may use 4 of the machine's 64"),  # the tighter one counts
        (64, 64, None, 4, 16, "shared by 4 ranks"),  # torchrun
        (64, 64, 32, 4, 8, "SLURM_CPUS_PER_TASK gives this task 32 processors, shared by 4 ranks"),
        (6, 6, None, 4, 1, "shared by 4 ranks"),
        (2, 2, None, 8, 1, "shared by 8 ranks"),  # never none
    ],
)
def test_processors_are_shared_out(
    available: int, total: int, slurm: int | None, ranks: int, cpus: int, reason: str, load: Load
) -> None:
    share, why = load("runtime.machine").cpu_share(
        available=available, total=total, slurm_cpus=slurm, local_ranks=ranks
    )
    assert share == cpus
    assert reason in why


def test_the_environment_of_slurm_and_torchrun_is_read(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = load("runtime.machine")
    monkeypatch.setattr(machine.loky, "cpu_count", lambda only_physical_cores: 64)
    monkeypatch.setattr(machine, "free_memory_bytes", lambda: 80 * GB)
    monkeypatch.delenv("LOCAL_WORLD_SIZE", raising=False)
    monkeypatch.delenv("SLURM_CPUS_PER_TASK", raising=False)
    assert (machine.read_machine().cpus, machine.read_machine().memory_bytes) == (64, 80 * GB)
    monkeypatch.setenv("SLURM_CPUS_PER_TASK", "16")
    assert machine.read_machine().cpus == 16
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "8")
    assert (machine.read_machine().cpus, machine.read_machine().memory_bytes) == (2, 10 * GB)


@pytest.mark.parametrize(
    ("text", "number"),
    [(None, None), ("", None), ("0", None), ("-2", None), ("2.5", None), ("4(x2)", None), ("8", 8)],
)
def test_numbers_in_the_environment(text: str | None, number: int | None, load: Load) -> None:
    assert load("runtime.machine").positive_int(text) == number


def write_group(folder: Path, limit: str, used: int, cache: int, version: int = 2) -> None:
    """A control group, as Linux shows it in files."""
    names = {
        1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        2: ("memory.max", "memory.current", "inactive_file"),
    }[version]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / names[0]).write_text(f"{limit}\n")
    (folder / names[1]).write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 7\n{names[2]} {cache}\nfile 9\n")


def free_bytes(load: Load, root: Path, membership: str) -> int | None:
    (root / "membership").write_text(membership)
    found: int | None = load("runtime.machine").free_cgroup_bytes(root, root / "membership")
    return found


def test_memory_of_a_container_with_control_groups_2(load: Load, tmp_path: Path) -> None:
    write_group(tmp_path, "1000", used=600, cache=100)  # a container sees its own group as the root
    assert free_bytes(load, tmp_path, "0::/\n") == 500


def test_memory_of_nested_control_groups_the_tightest_counts(load: Load, tmp_path: Path) -> None:
    write_group(tmp_path / "job", "1000", used=900, cache=0)
    write_group(tmp_path / "job" / "step", "5000", used=200, cache=0)
    write_group(tmp_path / "job" / "step" / "task", "max", used=200, cache=0)
    assert free_bytes(load, tmp_path, "0::/job/step/task\n") == 100
    write_group(tmp_path / "job" / "step", "250", used=200, cache=0)
    assert free_bytes(load, tmp_path, "0::/job/step/task\n") == 50


def test_memory_of_control_groups_1(load: Load, tmp_path: Path) -> None:
    write_group(tmp_path / "memory" / "docker" / "x", "1000", used=300, cache=50, version=1)
    membership = "5:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n0::/docker/x\n"
    assert free_bytes(load, tmp_path, membership) == 750


def test_memory_of_control_groups_1_from_inside_the_container(load: Load, tmp_path: Path) -> None:
    # There the path names a group of the machine around, and only the root can be seen.
    write_group(tmp_path / "memory", "1000", used=300, cache=0, version=1)
    assert free_bytes(load, tmp_path, "4:memory:/docker/x\n") == 700


def test_memory_of_a_control_group_that_is_over_its_limit(load: Load, tmp_path: Path) -> None:
    write_group(tmp_path, "1000", used=1200, cache=0)
    assert free_bytes(load, tmp_path, "0::/\n") == 0


@pytest.mark.parametrize("membership", ["", "0::/\n", "0::/gone\n", "3:cpu:/\n"])
def test_memory_without_a_limit(membership: str, load: Load, tmp_path: Path) -> None:
    write_group(tmp_path, "max", used=300, cache=0)
    assert free_bytes(load, tmp_path, membership) is None
    missing = load("runtime.machine").free_cgroup_bytes(tmp_path, tmp_path / "no such file")
    assert missing is None


class Tracer:
    """Traces as a debugger written in C does: an object that can be called."""

    def __call__(self, *event: Any) -> None: ...


def tracer_of(module: str) -> Any:
    return type("CTracer", (Tracer,), {"__module__": module})()


def test_a_debugger_is_found_by_what_it_does(load: Load) -> None:
    find_debugger = load("runtime.machine").find_debugger
    assert find_debugger(None, None) is None
    assert find_debugger(bdb.Bdb().trace_dispatch, None) == "bdb"
    assert find_debugger(tracer_of("_pydevd_bundle.pydevd_cython"), None).startswith("_pydevd")
    assert find_debugger(None, "debugpy") == "debugpy"  # by sys.monitoring
    assert find_debugger(tracer_of("coverage.tracer"), None) is None


NO_CUDA = {"found": None, "count": 0, "build": "2.13.0+cpu"}
ONE_CUDA = {"found": "cuda", "count": 1, "build": "2.13.0+cu130"}
TWO_CUDA = {**ONE_CUDA, "count": 2}


@pytest.mark.parametrize(
    ("requested", "facts", "name", "reason"),
    [
        (
            "auto",
            NO_CUDA,
            "cpu",
            "torch 2.13.0+cpu finds no accelerator. Install the right build: ",
        ),
        ("auto", ONE_CUDA, "cuda", "finds 1 of kind cuda"),
        ("cpu", TWO_CUDA, "cpu", "it was asked for"),
        ("cuda", ONE_CUDA, "cuda", "it was asked for"),
        ("cuda:1", TWO_CUDA, "cuda:1", "it was asked for"),
    ],
)
def test_the_device_follows_from_the_facts(
    requested: str, facts: dict[str, Any], name: str, reason: str, load: Load
) -> None:
    device = load("runtime.device").decide_device(requested, **facts)
    assert device.name == name
    assert reason in device.reason


@pytest.mark.parametrize(
    ("requested", "facts", "words"),
    [
        ("cuda", NO_CUDA, ["--device cuda", "2.13.0+cpu finds no accelerator", "whl/cu130"]),
        ("mps", ONE_CUDA, ["--device mps", "finds 1 of kind cuda"]),
        ("cuda:1", ONE_CUDA, ["--device cuda:1", "count from cuda:0 to cuda:0"]),
        ("cuda:2", TWO_CUDA, ["--device cuda:2", "count from cuda:0 to cuda:1"]),
    ],
)
def test_a_device_that_is_not_there_is_an_error_with_the_cure(
    requested: str, facts: dict[str, Any], words: list[str], load: Load
) -> None:
    with pytest.raises(load("runtime.errors").ProjectError) as caught:
        load("runtime.device").decide_device(requested, **facts)
    assert [word for word in words if word not in str(caught.value)] == []


def test_a_project_for_the_cpu_takes_it_although_there_is_a_gpu(
    thin_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {**DEFAULT, "package_name": "for_the_cpu"}
    project: Project = render(thin_template, tmp_path / "project", answers)
    monkeypatch.syspath_prepend(project.folder / "src")
    device = pytest.importorskip("for_the_cpu.runtime.device")
    assert device.decide_device("auto", **ONE_CUDA).name == "cpu"
    assert device.decide_device("cuda", **ONE_CUDA).name == "cuda"
    with pytest.raises(Exception, match="was set up for the CPU.*copier update"):
        device.decide_device("cuda", **NO_CUDA)
