"""What the project decides, from facts that are given: any system is tested on any other."""

from __future__ import annotations

import bdb
from pathlib import Path
from typing import Any

import pytest

from conftest import Load
from rendering import Project, render
from variants import DEFAULT

MB = 10**6
GB = 10**9
PHOTOS = 32 * 3 * 224 * 224 * 4
"""Bytes of a batch of 32 photos: 19.3 MB."""

LINUX = {
    "platform": "linux",
    "cpus": 4,
    "cpus_reason": "this process may use 4 of the machine's 4 processors",
    "memory_bytes": 16 * GB,
    "shared_memory_bytes": 8 * GB,
    "open_files": 1_048_576,
    "debugger": None,
    "daemonic": False,
    "notebook": False,
    "frozen": False,
}
SPAWNING = {**LINUX, "memory_bytes": 64 * GB, "shared_memory_bytes": None}
MACOS = {**SPAWNING, "platform": "darwin", "open_files": 10_240}
WINDOWS = {**SPAWNING, "platform": "win32", "open_files": None}
DIGITS: dict[str, Any] = {
    "requested_workers": None,
    "batches": 510,
    "batch_bytes": 32 * (8 * 8 * 4 + 8),
    "parcel": {},
    "timeout_s": 120.0,
    "device": "cpu",
}
UNSENDABLE = {"obstacle": "train_set.fn is a lambda defined at data.py:41 and cannot travel."}

# What is special, the machine, the job, how many workers there may be, and words of the reason.
PLANS: list[tuple[str, dict[str, Any], dict[str, Any], int, str]] = [
    ("Linux", LINUX, {}, 16, "may use 4 of the machine's 4 processors"),
    ("macOS", MACOS, {}, 16, "may use 4"),
    ("Windows", WINDOWS, {}, 16, "may use 4"),
    ("one processor", {**LINUX, "cpus": 1}, {}, 4, "may use 4"),
    ("a short job", LINUX, {"batches": 2}, 2, "there are 2 batches to load"),
    (
        "tensors that do not fit into /dev/shm",
        {**LINUX, "shared_memory_bytes": 64 * MB},
        {"parcel": {"tensor_bytes": 40 * MB}},
        0,
        "/dev/shm, but it has 64 MB free (docker: --shm-size)",
    ),
    (
        "a container with 64 MB of /dev/shm",
        {**LINUX, "shared_memory_bytes": 64 * MB},
        {"batch_bytes": PHOTOS, "parcel": {"tensor_bytes": 30 * MB}},
        16,
        "may use 4",
    ),
    ("low memory", {**LINUX, "memory_bytes": 500 * MB}, {}, 2, "that many workers of 100 MB"),
    ("no memory", {**LINUX, "memory_bytes": 199 * MB}, {}, 0, "199 MB of memory are free"),
    (
        "low memory where each worker is a new Python",
        {**WINDOWS, "memory_bytes": 2100 * MB},
        {},
        2,
        "2,100 MB of memory are free, and half of it holds that many workers of 500 MB",
    ),
    (
        "large batches",
        {**LINUX, "cpus": 64},
        {"batch_bytes": GB},
        2,
        "16,000 MB of memory are free, and half of it holds that many workers of 3,100 MB",
    ),
    (
        "a data set that is copied to each worker",
        {**LINUX, "memory_bytes": 17 * GB},
        {"parcel": {"pickled_bytes": 3900 * MB}},
        2,
        "that many workers of 4,000 MB",
    ),
    (
        "few descriptors",
        {**MACOS, "cpus": 16, "open_files": 256},
        {},
        16,
        "256 files may be open (ulimit -n), and a worker needs 8",
    ),
    ("a debugger", {**LINUX, "debugger": "pydevd"}, {}, 0, "pydevd is attached"),
    (
        "a debugger, and workers asked for",
        {**LINUX, "debugger": "pydevd"},
        {"requested_workers": 2},
        2,
        "it was asked for",
    ),
    ("a daemonic process", {**LINUX, "daemonic": True}, {}, 0, "may not have children"),
    (
        "a daemonic process, and workers asked for",
        {**LINUX, "daemonic": True},
        {"requested_workers": 2},
        0,
        "may not have children",
    ),
    ("a data set that cannot be sent", LINUX, {"parcel": UNSENDABLE}, 0, "data.py:41"),
    ("a notebook", {**LINUX, "notebook": True}, {}, 16, "may use 4"),
    (
        "a data set in a notebook cell",
        {**LINUX, "notebook": True},
        {"parcel": {"names_main": True}},
        0,
        "defined in a notebook cell; in data.py, workers find it",
    ),
    (
        "a data set in a notebook cell, and workers asked for",
        {**LINUX, "notebook": True},
        {"parcel": {"names_main": True}, "requested_workers": 2},
        0,
        "defined in a notebook cell",
    ),
    ("a data set in a script", LINUX, {"parcel": {"names_main": True}}, 16, "may use 4"),
    ("a frozen program", {**WINDOWS, "frozen": True}, {}, 16, "may use 4"),
    ("no workers asked for", LINUX, {"requested_workers": 0}, 0, "it was asked for"),
    ("few workers asked for", LINUX, {"requested_workers": 2}, 2, "it was asked for"),
    (
        "many workers asked for",
        LINUX,
        {"requested_workers": 64},
        64,
        "it was asked for, though 16 would be the most: this process may use 4",
    ),
]


@pytest.mark.parametrize(
    ("machine", "job", "workers", "reason"), [row[1:] for row in PLANS], ids=[p[0] for p in PLANS]
)
def test_the_plan_of_loading_follows_from_the_facts(
    machine: dict[str, Any], job: dict[str, Any], workers: int, reason: str, load: Load
) -> None:
    plan = make_plan(load, machine, job)
    assert plan.num_workers.value == workers
    assert reason in plan.num_workers.reason
    assert plan.start_method.value == ("forkserver" if machine["platform"] == "linux" else "spawn")
    assert plan.is_fixed == ("requested_workers" in job)
    assert all(title and sentence for title, _, sentence in plan.rows())


def make_plan(load: Load, machine: dict[str, Any], job: dict[str, Any]) -> Any:
    start_method = load("runtime.start").choose_start_method(machine["platform"])
    plan = load("runtime.plan")
    facts = load("runtime.machine").Machine(**machine)
    values = {**DIGITS, **job}
    values["parcel"] = load("runtime.preflight").Parcel(
        **{"pickled_bytes": 1000, "tensor_bytes": 0, **values["parcel"]}
    )
    return plan.plan_loader(facts, plan.Job(**values, start_method=start_method))


def test_workers_that_were_asked_for_but_cannot_be_sent_the_data_are_an_error(load: Load) -> None:
    job = {"parcel": UNSENDABLE, "requested_workers": 2}
    with pytest.raises(load("runtime.errors").ProjectError, match="data.py:41.*num-workers 0"):
        make_plan(load, LINUX, job)


MS = 1e-3
QUICK: dict[str, float] = {
    "read_wait_s": 0.0,
    "read_cpu_s": 0.0,
    "prepare_wait_s": 0.0,
    "prepare_cpu_s": 0.2 * MS,
    "step_s": 1 * MS,
    "step_cpu_s": 1 * MS,
    "samples": 32,
    "batch_bytes": 8000,
    "boot_cpu_s": 0.04,
    "batches_left": 1000,
}
SPAWN = {"boot_cpu_s": 2.0}

# What is special, processors, what was measured, whether reads can overlap, and what to choose.
SETUPS: list[tuple[str, int, dict[str, float], bool, str]] = [
    ("a quick load", 4, {}, True, "the main process"),
    ("computing", 2, {"prepare_cpu_s": 50 * MS}, True, "2 workers"),
    ("computing on many processors", 16, {"prepare_cpu_s": 50 * MS}, True, "14 workers"),
    (
        "computing beside a step of the same length",
        4,
        {"prepare_cpu_s": 50 * MS, "step_s": 52 * MS, "step_cpu_s": 52 * MS},
        True,
        "1 worker",
    ),
    ("computing, with spawn", 2, {"prepare_cpu_s": 50 * MS, **SPAWN}, True, "2 workers"),
    (
        "a short job of computing, with spawn",
        2,
        {"prepare_cpu_s": 50 * MS, "batches_left": 40, **SPAWN},
        True,
        "the main process",
    ),
    (
        "a step that takes all processors",
        2,
        {"prepare_cpu_s": 5 * MS, "step_s": 100 * MS, "step_cpu_s": 200 * MS},
        True,
        "the main process",
    ),
    ("waiting", 2, {"read_wait_s": 96 * MS}, True, "the main process with 32 reading threads"),
    (
        "waiting that threads cannot shorten",
        2,
        {"prepare_wait_s": 96 * MS},
        False,
        "8 workers",
    ),
    (
        "waiting and computing",
        2,
        {"read_wait_s": 96 * MS, "prepare_cpu_s": 16 * MS},
        True,
        "2 workers with 16 reading threads each",
    ),
    (
        "large batches of little computing",
        2,
        {"prepare_cpu_s": 3 * MS, "batch_bytes": 100 * MB},
        True,
        "the main process",
    ),
]


@pytest.mark.parametrize(
    ("cpus", "special", "can_read_ahead", "expected"),
    [row[1:] for row in SETUPS],
    ids=[row[0] for row in SETUPS],
)
def test_how_to_load_follows_from_the_measurements(
    cpus: int, special: dict[str, float], can_read_ahead: bool, expected: str, load: Load
) -> None:
    adapt = load("runtime.adapt")
    measured = adapt.Measured(**{**QUICK, **special})
    options = {"cpus": cpus, "can_read_ahead": can_read_ahead, "max_workers": 4 * cpus}
    chosen = adapt.choose_setup(measured, current=adapt.Setup(0, 0), **options)
    assert str(chosen) == expected
    again = adapt.choose_setup(measured, current=chosen, **options)
    assert again == chosen
    assert expected in adapt.explain(chosen, measured)


def test_where_nothing_is_left_nothing_changes(load: Load) -> None:
    adapt = load("runtime.adapt")
    measured = adapt.Measured(**{**QUICK, "prepare_cpu_s": 500 * MS, "batches_left": 0})
    for current in (adapt.Setup(0, 0), adapt.Setup(16, 2)):
        options = {"cpus": 2, "max_workers": 8, "can_read_ahead": True, "current": current}
        assert adapt.choose_setup(measured, **options) == current


def test_a_fixed_number_of_workers_is_kept_and_only_threads_are_chosen(load: Load) -> None:
    adapt = load("runtime.adapt")
    measured = adapt.Measured(**{**QUICK, "read_wait_s": 500 * MS})
    for workers in (0, 1, 5):
        chosen = adapt.choose_setup(
            measured,
            cpus=2,
            max_workers=workers,
            can_read_ahead=True,
            current=adapt.Setup(0, workers),
            is_fixed=True,
        )
        assert chosen.workers == workers
        assert chosen.threads > 0


@pytest.mark.parametrize(
    ("device", "pinned"),
    [("cpu", False), ("cuda", True), ("cuda:1", True), ("xpu", True), ("mps", False)],
)
@pytest.mark.parametrize("workers", [0, 2])
def test_memory_is_pinned_where_copies_gain_by_it(
    device: str, pinned: bool, workers: int, load: Load
) -> None:
    plan = make_plan(load, LINUX, {"device": device, "requested_workers": workers})
    assert plan.pin_memory.value is pinned
    assert device.split(":")[0] in plan.pin_memory.reason


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
