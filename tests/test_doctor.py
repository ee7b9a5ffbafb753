"""The doctor: its decisions, on any machine; and what it says about projects that are broken."""

from __future__ import annotations

import ast
import json
import re
import shutil
import sys
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from children import Ended, run_child
from conftest import Load
from rendering import ROOT, Project
from running import HERE, TIMEOUT_S, variables

PATIENCE_S = "3"


def machine(load: Load, **facts: Any) -> Any:
    """A machine on which all is well, or not in some respect."""
    usual: dict[str, Any] = {
        "platform": "linux",
        "cpus": 8,
        "cpus_reason": "it was counted",
        "memory_bytes": int(32e9),
        "shared_memory_bytes": int(16e9),
        "open_files": 4096,
        "debugger": None,
        "debug": False,
        "daemonic": False,
        "notebook": False,
        "frozen": False,
    }
    kind = load("runtime.machine").Machine
    return kind(**{field.name: {**usual, **facts}[field.name] for field in fields(kind)})


def around(load: Load, **facts: Any) -> Any:
    """Surroundings in which all is well, or not in some respect."""
    usual: dict[str, Any] = {
        "system": "Linux",
        "python": "CPython 3.11.7",
        "executable": "/usr/bin/python",
        "bits": 64,
        "started": "as a module (python -m)",
        "places": (),
        "temporary_folder": "/tmp",
        "nvidia": None,
        "paging_bytes": int(16e9),
    }
    return load("doctor.surroundings").Surroundings(**{**usual, **facts})


def states(load: Load, **facts: Any) -> dict[str, str]:
    """How each check of a machine stands; the facts are of the machine or of what is around it."""
    names = {field.name for field in fields(load("runtime.machine").Machine)}
    of_machine = {name: value for name, value in facts.items() if name in names}
    others = {name: value for name, value in facts.items() if name not in {*names, "reason"}}
    method = load("runtime.start").StartMethod("spawn", facts.get("reason", "it is tested"))
    check = load("doctor.machine_checks").check_machine
    checks = check(machine(load, **of_machine), around(load, **others), method)
    return {check.id: check.state for check in checks}


def test_all_is_well_on_a_good_machine(load: Load) -> None:
    assert set(states(load).values()) == {"ok"}
    assert "paging-file" not in states(load)
    assert states(load, platform="win32")["paging-file"] == "ok"


@pytest.mark.parametrize(
    ("id", "state", "facts"),
    [
        ("python", "fault", {"bits": 32}),
        ("start", "warning", {"debugger": "pydevd"}),
        ("start-method", "warning", {"reason": "the program around this one goes on with fork"}),
        ("processors", "warning", {"cpus": 1}),
        ("memory", "warning", {"memory_bytes": int(1e9)}),
        ("shared-memory", "warning", {"shared_memory_bytes": 64 << 20}),
        ("open-files", "warning", {"open_files": 256}),
        ("temporary-folder", "warning", {"temporary_folder": "/" + 90 * "x"}),
        ("temporary-folder", "fault", {"temporary_folder": None}),
        (
            "paging-file",
            "warning",
            {"platform": "win32", "memory_bytes": int(8e9), "paging_bytes": int(2e9)},
        ),
    ],
)
def test_one_thing_is_wrong(id: str, state: str, facts: dict[str, Any], load: Load) -> None:
    found = states(load, **facts)
    assert found.pop(id) == state
    assert set(found.values()) == {"ok"}


def test_a_system_that_does_not_tell_its_paging_file_is_no_fault(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    surroundings = load("doctor.surroundings")
    off = RuntimeError("PdhAddEnglishCounterW failed. Performance counters may be disabled.")
    monkeypatch.setattr(surroundings.psutil, "swap_memory", Mock(side_effect=off))
    size = surroundings.read_paging_bytes()
    assert size is None
    assert states(load, platform="win32", paging_bytes=size)["paging-file"] == "ok"


@pytest.mark.parametrize(
    ("main", "program", "said"),
    [
        (SimpleNamespace(__spec__=object()), "/src/pkg/__main__.py", "as a module (python -m)"),
        (SimpleNamespace(__spec__=None), "/src/pkg/__main__.py", "by its file __main__.py"),
        (SimpleNamespace(), "/venv/bin/digit-reader", "by the command digit-reader"),
        (SimpleNamespace(), "-c", "from a console, without a file"),
    ],
)
def test_how_it_was_started(main: object, program: str, said: str, load: Load) -> None:
    assert load("doctor.surroundings").describe_start(main, program) == said


@pytest.mark.parametrize(
    ("environment", "release", "place"),
    [
        ({"TORCHELASTIC_RUN_ID": "none"}, "6.1", "torchrun"),
        ({"SLURM_JOB_ID": "7"}, "6.1", "SLURM"),
        ({"TERM_PROGRAM": "vscode"}, "6.1", "VS Code"),
        ({"PYCHARM_HOSTED": "1"}, "6.1", "PyCharm"),
        ({"JPY_PARENT_PID": "7"}, "6.1", "a notebook"),
        ({}, "5.15.90.1-microsoft-standard-WSL2", "WSL"),
    ],
)
def test_where_it_runs(environment: dict[str, str], release: str, place: str, load: Load) -> None:
    places = load("doctor.surroundings").places
    assert place in places(environment, release)
    assert place not in places({}, "6.1")


def torch_facts(**facts: Any) -> dict[str, Any]:
    usual = {
        "version": "2.13.0",
        "build": "cuda",
        "import_s": 2.0,
        "device": ["cuda", "it is there"],
        "accelerator": True,
        "threads": 8,
        "openmp": ["/lib/libgomp.so.1"],
        "affinity": [8, 8],
    }
    return {**usual, **facts}


@pytest.mark.parametrize(
    ("facts", "nvidia", "state", "words"),
    [
        ({}, "GPU 0: NVIDIA T4", "ok", "cuda"),
        ({"accelerator": False, "device": ["cpu", "x"]}, None, "ok", "cpu"),
        (
            {"build": "cpu", "accelerator": False, "device": ["cpu", "x"]},
            "GPU 0: NVIDIA T4",
            "fault",
            "--index-url https://download.pytorch.org/whl/cu130",
        ),
        ({"accelerator": False, "device": ["cpu", "x"]}, "GPU 0: NVIDIA T4", "warning", "driver"),
    ],
)
def test_the_device(
    facts: dict[str, Any], nvidia: str | None, state: str, words: str, load: Load
) -> None:
    check = load("doctor.torch_checks").check_device(torch_facts(**facts), nvidia)
    assert check.state == state
    assert words in check.sentence + check.cure


@pytest.mark.parametrize(
    ("libraries", "state"),
    [
        ([], "ok"),
        (["/a/libgomp.so.1"], "ok"),
        (["/a/libgomp.so.1", "/b/libiomp5.so"], "ok"),
        (["/a/libgomp-8ff1.so.1", "/b/libgomp.so.1"], "warning"),
        (["/a/libiomp5md.dll", "/b/libiomp5md.dll"], "warning"),
    ],
)
def test_openmp_is_loaded_once(libraries: list[str], state: str, load: Load) -> None:
    assert load("doctor.torch_checks").check_openmp(libraries).state == state


def test_an_import_that_binds_the_process_is_told(load: Load) -> None:
    check = load("doctor.torch_checks").check_threads
    assert check(torch_facts(), {}).state == "ok"
    assert check(torch_facts(affinity=[None, None]), {}).state == "ok"
    assert check(torch_facts(affinity=[8, 1]), {}).state == "warning"
    assert "OMP_NUM_THREADS=1" in check(torch_facts(), {"OMP_NUM_THREADS": "1"}).sentence


@pytest.mark.parametrize("error", ["a worker stood still for 3 s, here", None])
def test_who_is_to_blame_for_a_stall(error: str | None, load: Load) -> None:
    stall, child = load("doctor.stall"), load("doctor.child")
    tried = []

    def load_again(**options: Any) -> Any:
        tried.append(options)
        ends = options.get("persistence") is False
        return child.Outcome({"error": None if ends else "stood still"}, "", True)

    outcome = child.Outcome({"error": error} if error else None, "", error is not None)
    assert stall.stalls(outcome)
    piece = {"workers": 2, "device": "cpu"}
    check = stall.why_it_stalls(outcome, piece, load_again)
    assert (check.id, check.state) == ("two-workers", "fault")
    assert check.sentence.endswith("does not without workers that live on")
    # Nothing is pinned for a CPU.
    assert tried == [{**piece, "threads": False}, {**piece, "persistence": False}]
    assert not stall.stalls(child.Outcome({"error": "LookupError"}, "", True))


def test_the_slowest_line_is_found(load: Load, tmp_path: Path) -> None:
    module = tmp_path / "sample.py"
    module.write_text(
        "import time\n"
        "def busy():\n"
        "    end_s = time.perf_counter() + 0.05\n"
        "    while time.perf_counter() < end_s: pass\n"
        "def load():\n"
        "    quick = sum(range(9))\n"
        "    busy()\n"
        "    return sorted(range(9))\n"
    )
    names: dict[str, Any] = {}
    exec(compile(module.read_text(), str(module), "exec"), names)
    before = sys.gettrace()
    slowest = load("doctor.samples").slowest_line(names["load"], str(module))
    assert sys.gettrace() is before
    assert slowest.line == "sample.py:4"
    assert slowest.text.startswith("while time.perf_counter()")
    assert slowest.share > 0.5


def test_every_check_has_its_section(load: Load) -> None:
    page = (ROOT / "docs" / "doctor.md").read_text(encoding="utf-8")
    sections = set(re.findall(r"^## (\S+)$", page, re.M))
    source = Path(str(load("doctor.check").__file__)).parent
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in source.glob("*.py")]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = {
        call.args[0].value
        for call in calls
        if getattr(call.func, "id", "") in ("Check", "fault_from_output")
        if isinstance(call.args[0], ast.Constant)
    }
    pieces = {load("doctor.stall").piece_id(workers) for workers in (1, 2)}
    assert named | pieces == sections


def doctor(
    project: Project, *options: str, path: Path | None = None
) -> tuple[Ended, dict[str, Any]]:
    """Ask the doctor; returns what it printed, and the checks by their ids."""
    environment = variables(project, HERE)
    if path:
        separator = ";" if sys.platform == "win32" else ":"
        environment["PYTHONPATH"] = f"{path}{separator}{environment['PYTHONPATH']}"
    command = [sys.executable, "-m", project.package, "doctor", "--json", *options]
    ended = run_child(command, cwd=project.folder, environment=environment, timeout_s=TIMEOUT_S)
    assert ended.left == []
    return ended, {check["id"]: check for check in json.loads(ended.output)}


@pytest.mark.full
def test_a_fresh_project_is_well(project: Project) -> None:
    ended, checks = doctor(project)
    assert ended.code == 0, ended.output
    # This machine may be small, and have any card.
    assert {check["state"] for check in checks.values()} <= {"ok", "warning"}
    of_project = ["imports", "environment", "data-sets", "samples", "one-worker", "two-workers"]
    assert list(checks)[-len(of_project) :] == of_project
    assert {checks[id]["state"] for id in of_project} == {"ok"}


@pytest.mark.full
def test_a_torch_that_cannot_be_imported(own: Project, tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    text = "[WinError 126] The specified module could not be found. Error loading c10.dll"
    (tmp_path / "torch" / "__init__.py").write_text(f"raise OSError({text!r})\n")
    ended, checks = doctor(own, path=tmp_path)
    assert ended.code == 1
    assert list(checks)[-1] == "torch"
    assert "cannot be imported" in checks["torch"]["sentence"]
    assert "c10.dll" in checks["torch"]["sentence"]
    assert "pip install torch" in checks["torch"]["cure"]


def test_a_package_that_is_missing(project: Project, tmp_path: Path) -> None:
    (tmp_path / "tyro.py").write_text('raise ModuleNotFoundError("none", name="tyro")\n')
    ended, checks = doctor(project, path=tmp_path)
    assert ended.code == 1
    assert list(checks) == ["python", "packages"]
    assert "tyro" in checks["packages"]["sentence"]


@pytest.mark.full
def test_data_that_is_missing(own: Project) -> None:
    shutil.rmtree(own.folder / "data" / "digits")
    ended, checks = doctor(own)
    assert ended.code == 1
    assert list(checks)[-1] == "data-sets"
    assert "train_images.npy cannot be opened" in checks["data-sets"]["sentence"]


AT_IMPORT = """
import os
import threading
from multiprocessing import get_context


def begin() -> None:
    threading.Thread(target=threading.Event().wait, daemon=True).start()


os.environ["OMP_NUM_THREADS"] = "1"
begin()
LOCK = get_context("spawn").Lock()
"""
HOLDS_A_LAMBDA = """

class Holding(DigitArrays):
    def __init__(self, images_path: Path, labels_path: Path, *, augment: bool = False) -> None:
        super().__init__(images_path, labels_path, augment=augment)
        self.scale = lambda value: value


DigitArrays = Holding
"""
SLOW = """

class Slow(DigitArrays):
    def prepare(self, raw: Any) -> Any:
        import time

        time.sleep(0.03)  # the slow line
        return super().prepare(raw)


DigitArrays = Slow
"""


@pytest.mark.full
def test_an_import_that_starts_something_and_an_attribute_that_cannot_travel(
    own: Project,
) -> None:
    if HERE != "linux":
        pytest.skip("a lock of multiprocessing starts a process on POSIX systems alone")
    (own.source / "helper.py").write_text(AT_IMPORT)
    data = own.source / "data.py"
    text = data.read_text(encoding="utf-8").replace(
        "from .runtime.errors", "from . import helper  # noqa: F401\nfrom .runtime.errors"
    )
    data.write_text(text + HOLDS_A_LAMBDA, encoding="utf-8")
    ended, checks = doctor(own)
    assert ended.code == 1
    lines = AT_IMPORT.splitlines()
    name = f"{own.package}.helper"
    for what, line in (("thread", "begin()"), ("process", 'LOCK = get_context("spawn").Lock()')):
        place = f"helper.py:{lines.index(line) + 1}"
        found = rf"{name}, which {own.package}\.\w+ imports, starts a {what} \([^)]*{place}\)"
        assert re.search(found, checks["imports"]["sentence"]), checks["imports"]
    assert f"{name}, which" in checks["environment"]["sentence"]
    assert "sets OMP_NUM_THREADS too late" in checks["environment"]["sentence"]
    assert "train_set.scale is a lambda" in checks["data-sets"]["sentence"]
    assert list(checks)[-1] == "data-sets"


@pytest.mark.full
def test_a_slow_line_is_named(own: Project) -> None:
    with (own.source / "data.py").open("a", encoding="utf-8") as file:
        file.write(SLOW)
    ended, checks = doctor(own)
    assert ended.code == 0, ended.output
    assert checks["samples"]["state"] == "warning"
    assert "time.sleep(0.03)  # the slow line" in checks["samples"]["sentence"]


STALLS = """

class Stalling(DigitArrays):
    def WHERE(self, argument: Any) -> Any:
        import multiprocessing
        import threading

        if CONDITION:
            threading.Event().wait()  # for ever
        return super().WHERE(argument)


DigitArrays = Stalling
"""
IN_A_THREAD = "threading.current_thread() is not threading.main_thread()"
IN_A_WORKER = "multiprocessing.parent_process()"


@pytest.mark.full
@pytest.mark.parametrize(
    ("where", "condition", "blamed"),
    [
        ("read", IN_A_THREAD, "reading threads"),
        ("prepare", IN_A_WORKER, "your transforms: prepare()"),
    ],
)
def test_a_stall_is_traced_to_what_is_to_blame(
    where: str, condition: str, blamed: str, own: Project
) -> None:
    with (own.source / "data.py").open("a", encoding="utf-8") as file:
        file.write(STALLS.replace("WHERE", where).replace("CONDITION", condition))
    ended, checks = doctor(own, "--patience-s", PATIENCE_S)
    assert ended.code == 1
    last = checks["one-worker"]
    assert last["sentence"].endswith(f"stalls, and does not without {blamed}"), last
    assert re.search(rf'data.py", line \d+ in {where}', last["details"])


@pytest.mark.full
def test_a_sample_that_never_comes_is_given_up(own: Project) -> None:
    with (own.source / "data.py").open("a", encoding="utf-8") as file:
        file.write(STALLS.replace("WHERE", "read").replace("CONDITION", "True"))
    project_checks = own.source / "doctor" / "project_checks.py"
    text = project_checks.read_text(encoding="utf-8")
    assert "= 120.0, 60.0, 60.0" in text
    project_checks.write_text(text.replace("120.0, 60.0, 60.0", "120.0, 9.0, 9.0"))
    ended, checks = doctor(own)
    assert ended.code == 1
    assert re.search(r'it stands in .*", line \d+ in', checks["data-sets"]["sentence"])
