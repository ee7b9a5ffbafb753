"""How data is loaded, decided by facts that are given: any system is tested on any other."""

from __future__ import annotations

from typing import Any

import pytest

from conftest import Load

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
    "debug": False,
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
    ("--debug", {**LINUX, "debug": True}, {}, 0, "--debug has the main process load"),
    (
        "--debug, and workers asked for",
        {**LINUX, "debug": True},
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
    ("computing on many processors", 16, {"prepare_cpu_s": 50 * MS}, True, "15 workers"),
    (
        "a job of a second",
        2,
        {
            "prepare_cpu_s": 1.4 * MS,
            "step_s": 0.5 * MS,
            "step_cpu_s": 0.5 * MS,
            "batches_left": 574,
        },
        True,
        "2 workers",
    ),
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
        "a short job of waiting that threads cannot shorten",
        2,
        {"prepare_wait_s": 98 * MS, "prepare_cpu_s": 1 * MS, "step_s": 0, "batches_left": 59},
        False,
        "8 workers",
    ),
    ("waiting in prepare()", 2, {"prepare_wait_s": 96 * MS}, True, "8 workers"),
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
    counts = adapt.THREAD_COUNTS if can_read_ahead else (0,)
    options = {"cpus": cpus, "thread_counts": counts, "max_workers": 4 * cpus}
    chosen = adapt.choose_setup(measured, current=adapt.Setup(0, 0), **options)
    assert str(chosen) == expected
    again = adapt.choose_setup(measured, current=chosen, **options)
    assert again == chosen
    assert expected in adapt.explain(chosen, measured)


def test_where_nothing_is_left_nothing_changes(load: Load) -> None:
    adapt = load("runtime.adapt")
    measured = adapt.Measured(**{**QUICK, "prepare_cpu_s": 500 * MS, "batches_left": 0})
    for current in (adapt.Setup(0, 0), adapt.Setup(16, 2)):
        options = {"cpus": 2, "max_workers": 8, "thread_counts": (0, 16), "current": current}
        assert adapt.choose_setup(measured, **options) == current


def test_a_fixed_number_of_workers_is_kept_and_only_threads_are_chosen(load: Load) -> None:
    adapt = load("runtime.adapt")
    measured = adapt.Measured(**{**QUICK, "read_wait_s": 500 * MS})
    for workers in (0, 1, 5):
        chosen = adapt.choose_setup(
            measured,
            cpus=2,
            max_workers=workers,
            thread_counts=adapt.THREAD_COUNTS,
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


def test_threads_read_where_they_may_and_as_many_as_were_asked_for(load: Load) -> None:
    def rows(machine: dict[str, Any], **job: Any) -> list[Any]:
        plan = make_plan(load, machine, job)
        return [value for name, value, _ in plan.rows() if name == "reading threads"]

    assert rows(LINUX) == []  # measurements decide
    assert rows(LINUX, requested_threads=7) == [7]
    assert rows(LINUX, requested_threads=7, can_read_ahead=False) == [0]
    assert rows({**LINUX, "debug": True}) == [0]
    assert rows({**LINUX, "debug": True}, requested_threads=7) == [7]
