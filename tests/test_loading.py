"""The loader, with real processes: what it delivers, and what it does when something breaks."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from children import Ended, run_child
from rendering import Project
from running import HERE, PROGRAMS, TIMEOUT_S, all_samples, result

pytestmark = pytest.mark.full

METHODS = ["forkserver", "spawn"] if HERE == "linux" else ["spawn"]
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such thing")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such a thing")


def run(
    project: Project,
    case: str,
    *,
    before: tuple[str, ...] = (),
    tmpdir: Path | None = None,
    **options: Any,
) -> Ended:
    """Run a case of programs/loading.py; nothing of it may stay behind."""
    separator = ";" if sys.platform == "win32" else ":"
    environment: dict[str, str | Path] = {
        "PYTHONPATH": separator.join([str(project.folder / "src"), str(PROGRAMS)])
    }
    if tmpdir:
        environment["TMPDIR"] = tmpdir
    program: list[str | Path] = [
        sys.executable,
        PROGRAMS / "loading.py",
        project.package,
        case,
        json.dumps(options),
    ]
    ended = run_child(
        [*before, *program], cwd=project.folder, environment=environment, timeout_s=TIMEOUT_S
    )
    assert ended.left == []
    return ended


def test_batches_and_weights_are_the_same_however_they_are_loaded(project: Project) -> None:
    workers = [(0, METHODS[0]), *((n, method) for method in METHODS for n in (1, 2))]
    workers.append((4, METHODS[0]))
    names = result(run(project, "purity", workers=workers))
    assert len(set(names.values())) == 1, names


@pytest.mark.parametrize("length", [1, 3, 4, 9])
@pytest.mark.parametrize("workers", [0, 2])
def test_each_sample_comes_once(length: int, workers: int, project: Project) -> None:
    ended = run(project, "epochs", dataset=["Base", length], num_workers=workers, epochs=2)
    assert result(ended) == [all_samples(length)] * 2


def test_an_empty_data_set_is_refused(project: Project) -> None:
    found = result(run(project, "error", dataset=["Base", 0]))
    assert found["type"] == "ProjectError"
    assert "'data' is empty" in found["message"]


def test_samples_of_odd_types_arrive_as_they_were_sent(project: Project) -> None:
    assert result(run(project, "odd")) == 6


def test_a_batch_of_500_mb_arrives(project: Project) -> None:
    found = result(run(project, "large", length=16, batch_size=8, num_workers=1))
    assert found == [[8, 62_500_000, 28], [8, 62_500_000, 92]]


def test_two_loaders_and_two_epochs_at_once(project: Project) -> None:
    assert result(run(project, "together")) is True


def test_a_loader_that_is_dropped_leaves_nothing(project: Project) -> None:
    ended = run(project, "dropped", times=2)
    assert result(ended) is True
    assert ended.workers >= 2


def test_data_sets_share_workers_that_are_set_up_well(project: Project) -> None:
    facts = result(run(project, "splits"))
    main = facts.pop("main")
    processes = {split: {f["pid"] for f in found} - {main} for split, found in facts.items()}
    assert len(processes["train"] | processes["validation"]) == 2
    # Both, for training gives the workers the time to start.
    assert processes["validation"] <= processes["train"]
    in_workers = [f for found in facts.values() for f in found if f["pid"] != main]
    assert {f["threads"] for f in in_workers} == {1}
    assert all(f["ignores_interrupt"] for f in in_workers)
    loaded = set(in_workers[0]["modules"])
    assert not loaded & {"tyro", "rich", "psutil", "loky", "tomli_w"}
    assert {"torch", "numpy"} <= loaded


def test_a_short_job_never_starts_a_worker(project: Project) -> None:
    found = result(run(project, "switched", dataset="Drawing", length=800))
    assert (found["workers"], found["told"]) == (0, [])


def test_waiting_is_left_to_threads(project: Project) -> None:
    ended = run(project, "switched", dataset="Waiting", length=4000)
    found = result(ended)
    assert (found["workers"], ended.workers) == (0, 0)
    assert re.fullmatch(r"the main process with \d+ reading threads", found["setup"])
    assert "of waiting" in found["told"][0]


def test_computing_is_left_to_workers(project: Project) -> None:
    found = result(run(project, "switched", dataset="Computing", length=4000))
    assert found["workers"] >= 1
    assert re.match(
        r"loading: \d+ workers? from here on \(a batch takes .* of computing", found["told"][0]
    )
    cost = r"loading: a worker took [\d.]+ s of processor time to start and \d+ MB of memory"
    assert sum(bool(re.match(cost, line)) for line in found["told"]) == 1


@pytest.mark.parametrize("what", ["sleep", "hold_the_lock"])
@pytest.mark.parametrize("method", METHODS)
def test_a_sample_that_never_returns_is_named_with_its_line(
    what: str, method: str, project: Project
) -> None:
    trouble = ["Trouble", what, 41]
    options: dict[str, Any] = {"num_workers": 2, "method": method, "timeout_s": 8}
    found = result(run(project, "error", dataset=trouble, **options))
    assert found["type"] == "ProjectError"
    message = found["message"]
    assert "batch 10 of epoch 0 of 'data'" in message
    assert "[40, 41, 42, 43]" in message
    assert "at sample 41" in message
    assert message.count("stood still for 4 s") == 2
    assert re.search(rf'datasets\.py", line \d+ in {what}\n.*in sample\n', message)
    assert "seed_generators(0, 0, 10)" in message


@pytest.mark.parametrize("what", ["sleep", "hold_the_lock"])
def test_a_sample_that_never_returns_in_the_main_process_ends_the_run(
    what: str, project: Project
) -> None:
    ended = run(project, "epochs", dataset=["Trouble", what, 41], num_workers=0, timeout_s=2)
    assert ended.code == 1
    assert re.search(rf'datasets\.py", line \d+ in {what}\n', ended.output)
    assert "batch 10 of epoch 0 of 'data'" in ended.output
    assert "[40, 41, 42, 43]" in ended.output


@posix_only
def test_a_pause_of_the_program_is_no_stall(project: Project) -> None:
    """Ctrl-Z, and `fg` after more than the limit."""
    # As a shell does it: the system stops no process of a session that has nobody to continue it.
    start = "import os, subprocess, sys; subprocess.run(sys.argv[1:], preexec_fn=os.setpgrp)"
    found = result(run(project, "paused", timeout_s=4, before=(sys.executable, "-c", start)))
    assert found["paused_s"] > 4
    assert found["samples"] == list(range(800))


@posix_only
def test_a_crash_of_the_main_process_shows_the_batch(project: Project) -> None:
    ended = run(project, "epochs", dataset=["Trouble", "crash", 41], num_workers=0)
    assert ended.code == -signal.SIGSEGV
    assert re.search(r'datasets\.py", line \d+ in crash\n', ended.output)
    assert "in batch 10 of epoch 0 of 'data', samples [40, 41, 42, 43]" in ended.output


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("kill", "was ended by SIGKILL"),
        ("crash", "was ended by SIGSEGV"),
        ("leave", "ended with exit code 7"),
        ("sleep", "stood still for 2 s"),
        ("hold_the_lock", "stood still for 2 s"),
        ("stop", "did not answer any more"),
    ],
)
@posix_only
def test_a_worker_that_is_gone_is_replaced(
    what: str, words: str, project: Project, tmp_path: Path
) -> None:
    dataset = ["Trouble", what, 41, str(tmp_path / "flag")]
    ended = run(
        project,
        "epochs",
        dataset=dataset[:3],
        arguments={"flag": dataset[3]},
        num_workers=2,
        timeout_s=4,
    )
    assert result(ended) == [all_samples(64)]
    assert words in ended.output
    assert "batch 10 of epoch 0 of 'data'" in ended.output
    assert "a new one tries again" in ended.output
    if what in ("crash", "sleep", "hold_the_lock"):
        assert re.search(rf'datasets\.py", line \d+ in {what}\n', ended.output)


@posix_only
def test_fewer_workers_go_on_where_memory_is_short(project: Project, tmp_path: Path) -> None:
    found = result(run(project, "short_memory", flag=str(tmp_path / "flag")))
    assert found["told"][-1] == "memory is short: the number of workers is 1 from here on"
    assert found["workers"] == 1
    assert found["samples"] == list(range(400))


REFUSED = "was refused by the system: BlockingIOError(11, 'Resource temporarily unavailable')."
NO_THREAD = 'was refused by the system: OSError("can\'t start new thread").'


@pytest.mark.parametrize(
    ("what", "num_workers", "first", "times", "workers", "told"),
    [
        ("process", 2, 2, 1, 2, []),
        ("process", 3, 3, 99, 2, [f"a worker {REFUSED} Their number is 2 from here on"]),
        ("thread", 3, 3, 99, 2, [f"a worker {NO_THREAD} Their number is 2 from here on"]),
        # The helper that starts them dies of it, and takes those along that it has started.
        ("server", 3, 3, 2, 2, [f"a worker {REFUSED} Their number is 2 from here on"]),
        (
            "process",
            "auto",
            1,
            99,
            0,
            [f"no worker could be started: each {REFUSED} The main process loads."],
        ),
    ],
    ids=["once", "the third one", "the third one's thread", "the third one, and its helper", "all"],
)
def test_workers_that_the_system_refuses_are_done_without(
    what: str,
    num_workers: int | str,
    first: int,
    times: int,
    workers: int,
    told: list[str],
    project: Project,
) -> None:
    refusals: dict[str, Any] = {"what": what, "first": first, "times": times}
    ended = run(project, "refused", num_workers=num_workers, **refusals)
    found = result(ended)
    assert found == {"told": told, "workers": workers, "samples": list(range(40))}


def test_workers_that_were_asked_for_and_are_all_refused_are_an_error(project: Project) -> None:
    ended = run(project, "refused", what="process", num_workers=2, first=1, times=99)
    assert ended.code == 1
    assert f"ProjectError: no worker could be started: each {REFUSED}" in ended.output


def test_a_worker_is_ended_if_ctrl_c_strikes_while_it_starts(project: Project) -> None:
    ended = run(project, "interrupted_start")
    assert result(ended) == "interrupted"
    assert ended.left == []


@pytest.mark.parametrize("method", METHODS)
@posix_only
def test_killing_workers_at_random_moments_changes_nothing(method: str, project: Project) -> None:
    expected = result(run(project, "not_killed"))
    kills, seed, wanted = 0, 0, 20 if method == "forkserver" else 2
    while kills < wanted:  # a busy machine starts workers late, and then there are fewer to kill
        found = result(run(project, "killed", seed=seed, method=method))
        assert found["batches"] == expected
        # The last one may be killed when all batches are there already.
        assert found["replaced"] >= found["kills"] - 1
        kills, seed = kills + found["kills"], seed + 1
        assert seed < 20


@pytest.mark.parametrize("what", ["kill", "crash", "leave"])
@posix_only
def test_a_batch_that_ends_two_workers_ends_the_run(what: str, project: Project) -> None:
    found = result(run(project, "error", dataset=["Trouble", what, 41], num_workers=2))
    assert found["type"] == "ProjectError"
    assert "it was tried 2 times" in found["message"]
    assert "at sample 41" in found["message"]
    assert "seed_generators(0, 0, 10); [dataset[index] for" in found["message"]


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize(
    ("what", "kind", "words"),
    [
        ("fail", "LookupError", "there is no such sample"),
        ("fail_oddly", "OddError", "1 and 2"),
        ("ask_to_exit", "SystemExit", "3"),
        ("stop_iteration", "RuntimeError", "the data set raised StopIteration"),
    ],
)
def test_an_exception_ends_the_run_with_its_sample(
    what: str, kind: str, words: str, workers: int, project: Project
) -> None:
    found = result(run(project, "error", dataset=["Trouble", what, 41], num_workers=workers))
    if what == "fail_oddly" and workers:  # it cannot travel itself
        kind = "LoadingError"
    assert found["type"] == kind
    assert words in found["message"]
    if what != "stop_iteration":
        assert re.search(rf'datasets\.py", line \d+, in {what}\n', found["text"])
    if what != "ask_to_exit":
        assert "in sample 41, for batch 10 of epoch 0 of 'data'" in found["text"]


@pytest.mark.parametrize("later", [False, True])
def test_what_cannot_be_sent_to_a_worker_is_named_by_its_path(
    later: bool, project: Project
) -> None:
    options: dict[str, Any] = {"dataset": ["Unpicklable"], "arguments": {"later": later}}
    message = result(run(project, "error", num_workers=2, **options))["message"]
    if later:
        assert message.startswith("data_set.file is of class TextIOWrapper and cannot travel")
    else:
        where = (
            r"data_set\.transform\.steps\[1\]\.function is a lambda defined at datasets\.py:\d+ "
        )
        assert re.match(where, message)
    assert "drop them in __getstate__" in message
    ended = run(project, "epochs", **options)  # the main process can load it
    assert result(ended) == [all_samples(64)]
    assert ended.workers == 0


@linux_only
def test_little_shared_memory_is_enough(project: Project) -> None:
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip("this user may not make a mount of its own")
    script = 'mount -t tmpfs -o size=64k tmpfs /dev/shm && exec "$@"'
    before = ("unshare", "-m", "sh", "-c", script, "sh")
    ended = run(project, "large", length=2, batch_size=1, num_workers=1, before=before)
    assert result(ended) == [[1, 62_500_000, 0], [1, 62_500_000, 1]]


@linux_only
def test_few_descriptors_are_enough(project: Project) -> None:
    before = ("sh", "-c", 'ulimit -n 64 && exec "$@"', "sh")
    ended = run(project, "epochs", dataset=["Computing", 400], num_workers="auto", before=before)
    assert len(result(ended)[0]) == 100


@posix_only
def test_a_long_name_of_the_folder_for_temporary_files(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    ended = run(project, "epochs", dataset=["Base", 16], num_workers=1, tmpdir=folder)
    assert result(ended) == [all_samples(16)]
    assert list(folder.iterdir()) == []
