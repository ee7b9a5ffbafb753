"""Notebooks, with real kernels and real workers: what cells define, and how a kernel can end."""

from __future__ import annotations

import importlib
import os
import re
import signal
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest

from children import END_S, command_line
from kernels import kernel_of, run_all
from rendering import Project, render
from running import HERE, require_runnable, run_python
from variants import DEFAULT

pytestmark = pytest.mark.full
METHODS = {"linux": "forkserver", "macos": "spawn", "windows": "spawn"}
SYSTEMS = ["linux", "macos"] if HERE == "linux" else [HERE]
"""The fork server, and spawn."""
ANSWERS = {**DEFAULT, "notebook": True}


@pytest.fixture(scope="module")
def project(thin_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with a notebook; the tests leave it as it is."""
    require_runnable(ANSWERS, HERE)
    # Else the first kernel would do it, and say that it takes long.
    importlib.import_module("matplotlib.font_manager")
    return render(thin_template, tmp_path_factory.mktemp("notebook") / "project", ANSWERS)


# ----- Whole notebooks -------------------------------------------------------------------


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_notebook_trains_with_workers(system: str, project: Project, tmp_path: Path) -> None:
    for outputs in run_all(
        cells_of(project), project, system, tmp_path, times=2 if system == HERE else 1
    ):
        assert_trained(str(outputs), METHODS[system])


def cells_of(project: Project) -> list[str]:
    """The code of the notebook, with fewer epochs."""
    file = project.folder / "notebooks" / "train.ipynb"
    notebook: Any = nbformat.reads(file.read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return [source.replace("epochs=5", "epochs=2") for source in code]


def assert_trained(shown: str, method: str) -> None:
    """Look at what the cells of the notebook have shown."""
    assert f"start method: {method}" in shown
    assert "loading: a worker took" in shown
    assert shown.count("image/png") == 2
    accuracies = re.findall(r"validation accuracy ([\d.]+)%", shown)
    assert len(accuracies) == 2 and float(accuracies[-1]) > 50


BEGIN = """
from digit_reader.runtime.start import prepare_workers
prepare_workers()
import os
import torch
from torch.utils.data import Dataset
from digit_reader.runtime.errors import ProjectError
from digit_reader.runtime.loader import BatchLoader
"""
LOAD = """
def load(dataset, num_workers, collate=list):
    with BatchLoader({"train": dataset}, 4, num_workers=num_workers, collate=collate) as loader:
        return list(loader.epoch("train", 0, shuffle=True))
"""
FUNCTIONS_OF_CELLS = [
    BEGIN,
    LOAD,
    """
class Noise(Dataset):
    def __init__(self, transform):
        self.transform = transform
    def __len__(self):
        return 24
    def __getitem__(self, index):
        return self.transform(index) + torch.rand(2)
""",
    """
step = 3
def collate(samples):
    return os.getpid(), torch.stack(samples)
scope = {"__name__": "elsewhere"}
exec("def half(number): return number / 2", scope)
half = scope["half"]
dataset = Noise(lambda index: step * half(index))
here, there = load(dataset, 0, collate), load(dataset, 2, collate)
""",
    """
assert [batch.tolist() for _, batch in here] == [batch.tolist() for _, batch in there]
assert len(here) == 6 and here[0][1].dtype == torch.float32
assert {pid for pid, _ in here} == {os.getpid()}
assert os.getpid() not in {pid for pid, _ in there}
""",
]
CLASSES_OF_CELLS = [
    BEGIN,
    LOAD,
    """
import abc
import enum
import functools
import random as chance
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

SCALE = 3
TABLE = np.arange(100) * 7
MAIN = os.getpid()

class Parity(enum.Enum):
    EVEN = 0
    ODD = 1

@dataclass(slots=True)
class Extra:
    parity: Parity
    in_main: bool

class Sample(NamedTuple):
    image: torch.Tensor
    extra: Extra

class Broken(LookupError):
    pass

@functools.cache
def scale():
    return SCALE

def scaled(value):
    return scale() * value + chance.random()
""",
    """
class Counted(Dataset, abc.ABC):
    length = 24
    def __len__(self):
        return self.length
    @abc.abstractmethod
    def __getitem__(self, index):
        return torch.tensor([scaled(int(self.table[index])), np.random.random()])
    @functools.cached_property
    def table(self):
        return TABLE + 1

class Digits(Counted):
    def __init__(self, broken=None):
        super().__init__()
        self.broken = broken
    def __getitem__(self, index):
        if index == self.broken:
            raise Broken(index)
        image = super().__getitem__(index) + torch.rand(2)
        return Sample(image, Extra(Parity(index % 2), os.getpid() == MAIN))
""",
    """
def compare():
    here, there = sum(load(Digits(), 0), []), sum(load(Digits(), 1), [])
    assert len(here) == len(there) == Counted.length
    for a, b in zip(here, there, strict=True):
        assert type(a) is type(b) is Sample
        assert type(a.extra) is type(b.extra) is Extra
        assert a.image.tolist() == b.image.tolist()
        assert a.extra.parity is b.extra.parity
        assert (a.extra.in_main, b.extra.in_main) == (True, False)
    return there

before = compare()
""",
    """
SCALE = 5
scale.cache_clear()
class Sample(NamedTuple):
    image: torch.Tensor
    extra: Extra
    edited: bool = True
after = compare()
assert all(sample.edited for sample in after)
assert before[0].image[0] < after[0].image[0]
""",
    """
for workers in (0, 1):
    try:
        load(Digits(broken=5), workers)
    except Broken as error:
        assert type(error) is Broken and error.args == (5,)
        assert workers == 0 or 'File "In [' in str(error.__cause__), error.__cause__
    else:
        raise AssertionError
""",
]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    "sources", [FUNCTIONS_OF_CELLS, CLASSES_OF_CELLS], ids=["functions", "classes"]
)
def test_what_cells_define_has_workers(
    sources: list[str], system: str, project: Project, tmp_path: Path
) -> None:
    run_all(sources, project, system, tmp_path)


# ----- Kernels ---------------------------------------------------------------------------


PREPARED = f"""
{BEGIN}
from itertools import chain, count

class Numbers(Dataset):
    def __len__(self):
        return 400
    def __getitem__(self, index):
        return torch.tensor(index)

def follow(batches, fail_at=None):
    for number, batch in enumerate(batches):
        print("batch", number, flush=True)
        if number == fail_at:
            raise RuntimeError("the step went wrong")
    return number

def endless(loader):
    return chain.from_iterable(loader.epoch("train", epoch) for epoch in count())
"""
NEW_LOADER = 'loader = BatchLoader({"train": Numbers()}, 4, num_workers=WORKERS)\n'


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_kernel_survives_errors_and_interrupts_and_leaves_nothing(
    system: str, project: Project, tmp_path: Path
) -> None:
    with kernel_of(project, system, tmp_path / "log") as kernel:
        wanted = 2 if METHODS[system] == "forkserver" else 1
        assert kernel.run(f"WORKERS = {wanted}\n{PREPARED}").error == ""
        # An error, again and again: its traceback holds the loader, yet no worker is too many.
        for _ in range(2):
            ran = kernel.run(f'{NEW_LOADER}follow(loader.epoch("train", 0), fail_at=9)')
            assert ran.error == "RuntimeError: the step went wrong"
            assert kernel.workers() == wanted
        assert kernel.run('assert follow(loader.epoch("train", 0)) == 99').error == ""

        # The button that interrupts, in the middle; then the cell again, with the loader as it is.
        interrupt = ("batch 30\n", kernel.manager.interrupt_kernel)
        for _ in range(2):
            ran = kernel.run("follow(endless(loader))", interrupt)
            assert ran.error.startswith("KeyboardInterrupt")
        same = "[batch.tolist() for batch in loader.epoch('train', 2)]"
        assert kernel.run(f"assert sum({same}, []) == list(range(400))").error == ""
        assert kernel.workers() == wanted
        assert kernel.run(f'{NEW_LOADER}follow(loader.epoch("train", 0))').error == ""
        assert kernel.workers() == wanted
        # Restart Kernel, while workers are there.
        workers = kernel.process.children(recursive=True)
        kernel.manager.restart_kernel()
        _, alive = psutil.wait_procs(workers, timeout=END_S)
        assert [command_line(process) for process in alive] == []


def test_workers_end_with_a_kernel_that_is_killed(project: Project, tmp_path: Path) -> None:
    if HERE == "windows":
        pytest.skip("Windows has no signal that kills")
    with kernel_of(project, HERE, tmp_path / "log") as kernel:
        kernel.run(f"WORKERS = 2\n{PREPARED}")
        kernel.run(f'{NEW_LOADER}next(loader.epoch("train", 0))')
        assert kernel.workers() == 2
        family = kernel.process.children(recursive=True)
        os.kill(kernel.process.pid, signal.SIGKILL)
        _, alive = psutil.wait_procs(family, timeout=END_S)
        assert [command_line(process) for process in alive] == []


OBSTACLES = [
    BEGIN,
    "log = open(os.devnull)",
    """
class Words(Dataset):
    def __init__(self, transform=str, file=None):
        self.transform, self.file = transform, file
    def __len__(self):
        return 8
    def __getitem__(self, index):
        return 0
def why(dataset, **options):
    try:
        BatchLoader({"train": dataset}, 4, num_workers=2, **options)
    except ProjectError as error:
        print(error)
""",
    "why(Words(lambda index: log.read()))",
    "why(Words(file=log))",
    "why(Words(), collate=lambda samples: log.read())",
    """
class Reading(Words):
    def __getitem__(self, index):
        return helper(index)
def helper(index):
    return log.read()
why(Reading())
print(*BatchLoader({"train": Reading()}, 4).plan.num_workers)
""",
    """
import numpy as np
from digit_reader.runtime.preflight import weigh
table, shared = np.zeros(10**7), torch.zeros(10**6)
class Large(Words):
    def __getitem__(self, index):
        return table[index] + shared[index]
parcel = weigh({"train_set": Large()})
print(parcel.pickled_bytes // 10**6, parcel.tensor_bytes)
""",
]


def test_what_cannot_travel_is_named_with_its_cell(project: Project, tmp_path: Path) -> None:
    with kernel_of(project, HERE, tmp_path / "log") as kernel:
        ran = [kernel.run(source) for source in OBSTACLES]
    assert [cell.error for cell in ran] == [""] * len(ran)
    assert ran[3].text.startswith(
        "train_set.transform (a lambda defined in cell In [4], line 1) uses log, which is of class "
        "TextIOWrapper and cannot travel to a worker (cannot pickle '_io.TextIOWrapper' object). "
    )
    assert ran[4].text.startswith("train_set.file is of class TextIOWrapper and cannot travel")
    assert "The class Words is defined in cell In [3]." in ran[4].text
    assert ran[5].text.startswith(
        "collate (a lambda defined in cell In [6], line 1) uses log, which"
    )
    where = "(the function helper defined in cell In [7], line 4) uses log, which is of class"
    asked, automatic = ran[6].text.splitlines()
    assert where in asked and "num_workers=0" in asked
    assert where in automatic and automatic.startswith("0 train_set.__class__.__getitem__ (")
    assert ran[7].text == "80 4000000\n"


# ----- Other programs without a file --------------------------------------------------------

PROGRAM = f"""
{BEGIN}
class Squares(Dataset):
    def __len__(self):
        return 8
    def __getitem__(self, index):
        return index**2, os.getpid()

with BatchLoader({{"train": Squares()}}, 4, num_workers=1, collate=list) as loader:
    samples = sum(loader.epoch("train", 0), [])

print("squares", [square for square, _ in samples], os.getpid() in [pid for _, pid in samples])
"""
FED = """
import subprocess, sys
program, *command = sys.argv[1:]
sys.exit(subprocess.run([sys.executable, *command], input=program, text=True).returncode)
"""
WAYS = {
    "a command": ["-c", PROGRAM],
    "standard input": ["-c", FED, PROGRAM, "-"],
    "a prompt": ["-c", FED, PROGRAM, "-i"],
    "the prompt of IPython": ["-m", "IPython", "-c", PROGRAM],
}


@pytest.mark.parametrize("how", WAYS)
def test_what_a_program_without_a_file_defines_has_workers(how: str, project: Project) -> None:
    ended = run_python(project, *WAYS[how], system=HERE)
    assert ended.code == 0, ended.output
    assert "squares [0, 1, 4, 9, 16, 25, 36, 49] False" in ended.output
    assert ended.left == []
