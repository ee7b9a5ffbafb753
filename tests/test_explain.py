"""Known errors: the right row answers for real errors, and for those of other systems and versions."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from children import Ended, run_child
from conftest import Load
from rendering import ROOT, Project, render
from running import HERE, PROGRAMS, TIMEOUT_S, require_runnable, run_python, variables
from variants import DEFAULT

WITH_A_TEXT = """
    BOOT-1 BOOT-3 BOOT-4 BOOT-5 BOOT-6 BOOT-7 NB-1 NB-2 NB-3 NB-4
    PICK-1 PICK-2 PICK-3 PICK-4 PICK-5 PICK-6 PICK-7 PICK-8 PICK-9
    START-1 START-2 START-3 START-5 START-6 START-7 FORK-1 FORK-2 FORK-3 FORK-4 FORK-5 FORK-7 FORK-8
    CUDA-1 CUDA-2 CUDA-3 CUDA-4 CUDA-5 CUDA-6 CUDA-7 FRZ-1 FRZ-2 FRZ-3 FRZ-5
    RES-1 RES-2 RES-3 RES-4 RES-5 RES-6 RES-8 RES-9 RUN-1 RUN-2 RUN-5 RUN-6 RUN-8 RUN-9 RUN-11
    ENV-2 ENV-3 BOOT-8 DATA-1 DATA-2
"""
"""The failures of data loading that show by a message."""

RECORDED = [
    (
        "BOOT-1",
        "RuntimeError: \n        An attempt has been made to start a new process before the\n",
    ),
    ("BOOT-1", "An attempt has been made to\nstart a new process before the"),
    (
        "BOOT-4",
        'File "C:\\Python\\Lib\\site-packages\\ultralytics\\engine\\trainer.py", line 3, in train\n'
        "RuntimeError:\n  An attempt has been made to start a new process before the current",
    ),
    ("BOOT-6", "FileNotFoundError: [Errno 2] No such file or directory: '/home/me/<stdin>'"),
    ("BOOT-6", r"OSError: [Errno 22] Invalid argument: 'C:\\Users\\me\\<stdin>'"),
    ("BOOT-7", "AttributeError: module '__main__' has no attribute '__spec__'"),
    (
        "BOOT-7",
        'File "/opt/pycharm/helpers/pydev/pydevd.py", line 1500\n'
        "RuntimeError: DataLoader worker (pid 7) is killed by signal: Aborted.",
    ),
    ("NB-1", "AttributeError: Can't get attribute 'Cells' on <module '__main__' (built-in)>"),
    (
        "NB-1",
        "Can't get attribute 'f' on <module '__main__' (<class '_frozen_importlib.BuiltinImporter'>)>",
    ),
    ("NB-1", "AttributeError: module '__main__' has no attribute 'Cells'"),  # Python 3.14
    (
        "NB-3",
        "CUDA has been initialized before the `notebook_launcher` could create a forked subprocess.",
    ),
    ("NB-4", "AssertionError: can only test a child process"),
    (
        "PICK-1",
        "_pickle.PicklingError: Can't pickle local object <function f.<locals>.<lambda> at 0x7>",
    ),
    ("PICK-1", "AttributeError: Can't get local object 'main.<locals>.<lambda>'"),  # 3.13
    (
        "PICK-1",
        "Can't pickle <function <lambda> at 0x7f>: attribute lookup <lambda> on __main__ failed",
    ),
    (
        "PICK-1",
        "Can't pickle <function <lambda> at 0x7f>: it's not found as __main__.<lambda>",
    ),  # 3.14
    ("PICK-2", "TypeError: can't pickle _thread.RLock objects"),  # 3.7
    ("PICK-2", "TypeError: cannot pickle '_thread._local' object"),
    ("PICK-2", "TypeError: cannot pickle '_queue.SimpleQueue' object"),
    ("PICK-3", "TypeError: h5py objects cannot be pickled"),
    ("PICK-3", "TypeError: cannot pickle 'Environment' object"),
    ("PICK-3", "TypeError: can't pickle _io.BufferedReader objects"),
    ("PICK-3", "TypeError: cannot pickle BufferedReader instances"),  # 3.12
    ("PICK-4", "TypeError: cannot pickle 'dict_keys' object"),
    ("PICK-5", "AttributeError: Can't get local object 'main.<locals>.Local'"),
    ("PICK-5", "PicklingError: Can't pickle local object <class '__main__.main.<locals>.Local'>"),
    ("PICK-6", "Can't get attribute 'Late' on <module '__mp_main__' from 'C:\\\\me\\\\train.py'>"),
    ("PICK-6", "AttributeError: module '__mp_main__' has no attribute 'Late'"),
    ("PICK-7", "Can't pickle <function f at 0x7f>: it's not the same object as __main__.f"),
    ("PICK-8", "EOFError: Ran out of input"),
    ("PICK-8", "BrokenPipeError: [Errno 32] Broken pipe"),
    ("PICK-8", "_pickle.UnpicklingError: pickle data was truncated"),
    ("PICK-9", "OverflowError: cannot serialize a bytes object larger than 4 GiB"),
    (
        "PICK-9",
        'File "C:\\Python\\Lib\\multiprocessing\\reduction.py", line 60, in dump\n'
        "OSError: [Errno 22] Invalid argument",
    ),
    (
        "START-1",
        'File "<string>", line 1, in <module>\n'
        'File "C:\\Python\\Lib\\multiprocessing\\spawn.py", line 122, in spawn_main\n'
        "RuntimeError: context has already been set",
    ),
    ("START-6", "in _rebuild\nFileNotFoundError: [Errno 2] No such file or directory"),
    ("START-7", "Got pickle error when attempting to start a worker Process. This might be"),
    (
        "FORK-1",
        "Terminating: fork() called from a process already using GNU OpenMP, this is unsafe.",
    ),
    ("FORK-1", "OMP: Warning #190: Forking a process while a parallel region is active is"),
    (
        "FORK-2",
        "DeprecationWarning: This process (pid=7) is multi-threaded, use of fork() may lead to deadlocks",
    ),
    ("FORK-4", "zipfile.BadZipFile: Bad CRC-32 for file 'a.npy'"),
    ("FORK-4", "OSError: Can't read data (inflate() failed)"),
    ("FORK-4", "OSError: Unable to open object (wrong B-tree signature)"),
    (
        "FORK-5",
        "objc[7]: +[NSNumber initialize] may have been in progress in another thread when fork() was "
        "called. We cannot safely call it or ignore it in the fork() child process. Crashing instead.",
    ),
    ("FORK-7", "Tcl_AsyncDelete: async handler deleted by the wrong thread"),
    ("FORK-7", "RuntimeError: main thread is not in main loop"),
    (
        "FORK-8",
        "huggingface/tokenizers: The current process just got forked, after parallelism has already "
        "been used. Disabling parallelism to avoid deadlocks...",
    ),
    (
        "CUDA-1",
        "RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with "
        "multiprocessing, you must use the 'spawn' start method",
    ),
    ("CUDA-1", "RuntimeError: cuda runtime error (3) : initialization error"),
    ("CUDA-1", "RuntimeError: CUDA error (3): initialization error (multiprocessing)"),
    ("CUDA-2", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."),
    ("CUDA-3", "error=63 : OS call failed or operation not supported on this OS"),
    ("CUDA-4", "RuntimeError: _share_filename_: only available on CPU"),
    ("CUDA-5", "RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'"),
    ("CUDA-5", "TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()"),
    ("CUDA-6", "UserWarning: 'pin_memory' argument is set as true but no accelerator is found"),
    ("CUDA-6", "UserWarning: 'pin_memory' argument is set as true but not supported on MPS now"),
    ("CUDA-7", "RuntimeError: Pin memory thread exited unexpectedly"),
    ("FRZ-2", "error: unrecognized arguments: --multiprocessing-fork parent_pid=7 pipe_handle=8"),
    (
        "FRZ-2",
        "error: unrecognized arguments: -B -S -I -c from multiprocessing.resource_tracker import "
        "main;main(7)",
    ),
    ("FRZ-3", "AttributeError: 'NoneType' object has no attribute 'isatty'"),
    ("FRZ-5", "RuntimeError: error executing torch_shm_manager at 'bin/torch_shm_manager'"),
    ("FRZ-5", "OSError: could not get source code"),
    (
        "RES-1",
        "RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error. It is possible that "
        "dataloader's workers are out of shared memory.",
    ),
    ("RES-1", "unable to write to file </torch_7_8_9>: No space left on device (28)"),
    ("RES-2", "Too many open files. Communication with the workers is no longer possible."),
    ("RES-2", "RuntimeError: received 0 items of ancdata"),
    ("RES-3", "RuntimeError: DataLoader worker (pid 7) is killed by signal: Killed. "),
    ("RES-3", "RuntimeError: DataLoader worker (pid(s) 7, 8) exited unexpectedly"),
    ("RES-3", "ConnectionResetError: [Errno 104] Connection reset by peer"),
    ("RES-3", "ConnectionResetError: [WinError 10054] An existing connection was forcibly closed"),
    ("RES-3", "RuntimeError: lost sys.stderr"),
    ("RES-3", "DefaultCPUAllocator: not enough memory: you tried to allocate 7 bytes."),  # Windows
    ("RES-4", "OSError: AF_UNIX path too long"),
    ("RES-4", "OSError: [Errno 39] Directory not empty: '/tmp/pymp-abc'"),
    ("RES-4", "OSError: [Errno 66] Directory not empty: '/var/folders/x/pymp-abc'"),  # macOS
    ("RES-4", "OSError: [Errno 16] Device or resource busy: '.nfs000000'"),
    (
        "RES-5",
        "OSError: [WinError 1455] The paging file is too small for this operation to complete. Error "
        'loading "C:\\lib\\torch\\lib\\cudnn_cnn_infer64_8.dll" or one of its dependencies.',
    ),
    ("RES-5", "OSError: [WinError 1455] Die Auslagerungsdatei ist zu klein"),
    (
        "RES-6",
        "This DataLoader will create 8 worker processes in total. Our suggested max number of worker",
    ),
    ("RES-8", "ValueError: need at most 63 handles, got a sequence of length 70"),
    ("RES-8", "ValueError: max_workers must be <= 61"),
    ("RES-9", "unable to mmap 64 bytes from file </torch_7_8_9>: Cannot allocate memory (12)"),
    (
        "RES-9",
        "Pin memory thread exited unexpectedly\nunable to mmap 64 bytes from file </torch_7>",
    ),
    (
        "RUN-5",
        "Length of IterableDataset <Stream> was reported to be 3 (when accessing len(dataloader))",
    ),
    ("RUN-6", "RuntimeError: DataLoader timed out after 5 seconds"),
    (
        "RUN-8",
        "resource_tracker: There appear to be 6 leaked semaphore objects to clean up at shutdown",
    ),
    (
        "RUN-11",
        "Loky-backed parallel loops cannot be called in a multiprocessing, setting n_jobs=1",
    ),
    (
        "ENV-2",
        "OMP: Error #15: Initializing libiomp5md.dll, but found libiomp5md.dll already initialized.",
    ),
    ("ENV-2", "OMP: Error #15: Initializing libomp.dylib, but found libiomp5.dylib already"),
    ("ENV-3", "ModuleNotFoundError: No module named 'torch'"),
    (
        "ENV-3",
        'OSError: [WinError 126] The specified module could not be found. Error loading "c10.dll"',
    ),
    (
        "ENV-3",
        "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory",
    ),
    ("ENV-3", "ImportError: DLL load failed while importing _multiarray_umath"),
    ("ENV-3", "Library not loaded: @rpath/libomp.dylib"),
]
"""Messages as others met them: on other systems, with other versions, on hardware that is not here."""

TOGETHER = {
    "lambda_collate": "PICK-1",
    "local_collate": "PICK-5",
    "local_class": "PICK-5",
    "rebound": "PICK-7",
    "lock": "PICK-2",
    "executor": "PICK-2",
    "open_file": "PICK-3",
    "database": "PICK-3",
    "generator": "PICK-4",
    "module": "PICK-4",
    "lock_of_another_context": "START-3",
    "global_of_main": "START-5",
    "in_a_daemon": "RUN-1",
    "prefetch_without_workers": "RUN-2",
    "persistent_without_workers": "RUN-2",
    "context_without_workers": "RUN-2",
    "timeout_without_workers": "RUN-2",
    "stalled": "RUN-6",
    "failing": "RUN-9",
    "unequal_samples": "DATA-1",
    "unequal_samples_in_worker": "DATA-1",
    "samples_of_nothing": "DATA-2",
    "relative_import": "BOOT-8",
    "too_many_workers": "RES-6",
    "stream_twice": "RUN-5",
    "killed": "RES-3",
    "method_too_late": "START-2",
    "without_stdout": "FRZ-3",
    "many_files": "RES-2",
}
"""What goes wrong in programs/failing.py, one after the other, and the row that knows it."""
ALONE = {
    "unguarded_loader": "BOOT-1",
    "unguarded_executor": "BOOT-1",
    "behind_guard": "PICK-6",
    "method_at_top_level": "START-1",
}
"""What shows in a worker process, whose output cannot be told from that of others."""


def known_id(text: str, load: Load) -> str | None:
    row = load("runtime.explain").explain(text)
    return str(row.id) if row else None


def test_every_failure_that_has_a_message_has_a_row(load: Load) -> None:
    rows = load("runtime.known_errors").KNOWN_ERRORS
    ids = [name for row in rows for name in (row.id, *row.also)]
    assert sorted(ids) == sorted(WITH_A_TEXT.split())


def test_every_text_of_a_row_leads_to_it(load: Load) -> None:
    for row in load("runtime.known_errors").KNOWN_ERRORS:
        for text in row.texts:
            assert known_id(text.replace("…", "some thing"), load) == row.id, text


def test_every_row_fits_into_five_lines(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    explain = load("runtime.explain")
    monkeypatch.setattr(explain, "PROGRAM", "python -m a_name_as_long_as_it_can_be_xx")
    for row in load("runtime.known_errors").KNOWN_ERRORS:
        lines = explain.describe(row).splitlines()
        assert len(lines) <= 5, lines
        assert max(map(len, lines)) <= explain.WIDTH


@pytest.mark.parametrize(("expected", "text"), RECORDED)
def test_recorded_messages(expected: str, text: str, load: Load) -> None:
    assert known_id(f"Traceback (most recent call last):\n{text}\n", load) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ValueError: math domain error",
        "KeyError: 'label'",
        "FileNotFoundError: [Errno 2] No such file or directory: 'train.csv'",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x64 and 128x10)",
        "epoch   1/15  loss 0.6  validation  91.2%",
        "EOFError: EOF when reading a line",
        "AttributeError: 'NoneType' object has no attribute 'shape'",
    ],
)
def test_other_messages_are_not_known(text: str, load: Load) -> None:
    assert known_id(text, load) is None


def test_the_page_is_made_from_the_table() -> None:
    made = subprocess.run(
        [sys.executable, "-c", "import make_errors_page as p; print(p.make_page(), end='')"],
        cwd=ROOT / "scripts",
        env={"PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    assert made.stdout == page, "run scripts/make_errors_page.py"


def test_the_command_answers_for_words_and_for_stdin(project: Project) -> None:
    command = ["-m", project.package, "explain"]
    error = "TypeError: cannot pickle '_thread.lock' object"
    told = run_python(project, *command, error, system=HERE)
    assert told.code == 0
    assert told.output.startswith("What this usually means (PICK-2)")
    assert f"python -m {project.package} doctor" in told.output.replace("\n", " ")
    by_stdin = subprocess.run(
        [sys.executable, *command],
        cwd=project.folder,
        env={**os.environ, **variables(project, HERE)},
        input=f"Traceback\n{error}\n",
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
    )
    assert (by_stdin.returncode, by_stdin.stdout) == (0, told.output)
    unknown = run_python(project, *command, "ValueError: math domain error", system=HERE)
    assert unknown.code == 1
    assert re.fullmatch(
        "No known error has such a text. All of them: .*errors.md\n", unknown.output
    )


def fail(project: Project, case: str, *before: str) -> Ended:
    """Run a case of programs/failing.py in a project."""
    return run_child(
        [*before, sys.executable, PROGRAMS / "failing.py", project.package, case],
        cwd=project.folder,
        environment=variables(project, HERE),
        timeout_s=TIMEOUT_S,
    )


@pytest.fixture(scope="module")
def texts(project: Project) -> dict[str, str]:
    """What the cases in TOGETHER print."""
    if sys.platform == "win32":
        pytest.skip("many of them need fork or a POSIX system")
    output = fail(project, ",".join(TOGETHER)).output
    found = re.findall(r"^CASE (\w+)\n(.*?)(?=^CASE|\Z)", output, re.M | re.S)
    return dict(found)


@pytest.mark.full
@pytest.mark.parametrize("case", TOGETHER)
def test_real_errors(case: str, texts: dict[str, str], load: Load) -> None:
    assert known_id(texts[case], load) == TOGETHER[case], texts[case]


@pytest.mark.full
@pytest.mark.parametrize("case", ALONE)
def test_real_errors_of_worker_processes(case: str, project: Project, load: Load) -> None:
    ended = fail(project, case)
    assert known_id(ended.output, load) == ALONE[case], ended.output


@pytest.mark.full
def test_a_pool_that_refills_itself_for_ever(project: Project, load: Load) -> None:
    ended = run_child(
        [sys.executable, PROGRAMS / "failing.py", project.package, "unguarded_pool"],
        cwd=project.folder,
        environment=variables(project, HERE),
        timeout_s=TIMEOUT_S,
        signal_at=("finished its bootstrapping phase", signal.SIGTERM),
    )
    assert known_id(ended.output, load) == "BOOT-1", ended.output


@pytest.mark.full
def test_a_program_that_is_in_no_file(project: Project, load: Load) -> None:
    if sys.platform == "win32":
        pytest.skip("it needs sh")
    script = f'exec "$0" - {project.package} from_stdin < "{PROGRAMS / "failing.py"}"'
    ended = run_child(
        ["sh", "-c", script, sys.executable],
        cwd=project.folder,
        environment=variables(project, HERE),
        timeout_s=TIMEOUT_S,
    )
    assert known_id(ended.output, load) == "BOOT-6", ended.output


@pytest.mark.full
def test_a_class_in_a_console(project: Project, load: Load) -> None:
    # A kernel's main program is in no file either; the message is the same.
    code = (
        "from torch.utils.data import DataLoader, Dataset\n"
        "class InCell(Dataset):\n"
        "    def __len__(self): return 4\n"
        "    def __getitem__(self, index): return index\n"
        "list(DataLoader(InCell(), num_workers=1, multiprocessing_context='spawn'))"
    )
    ended = run_python(project, "-c", code, system=HERE)
    assert known_id(ended.output, load) == "NB-1", ended.output


@pytest.mark.full
def test_shared_memory_that_is_too_small(project: Project, load: Load) -> None:
    mount = "mount -t tmpfs -o size=64k tmpfs /dev/shm"
    if subprocess.run(["unshare", "-rm", "sh", "-c", mount], capture_output=True).returncode:
        pytest.skip("this user may not have mounts of its own")
    ended = fail(
        project, "tiny_shared_memory", "unshare", "-rm", "sh", "-c", f'{mount} && exec "$@"', "sh"
    )
    assert known_id(ended.output, load) == "RES-1", ended.output


BROKEN_FIT = """

def fit(config: TrainConfig, report: Report, resume: Path | None = None) -> Path:
    FAULT
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("fault", "last", "more"),
    [
        (
            "next(iter(torch.utils.data.DataLoader([1], num_workers=1, collate_fn=lambda _: 0)))",
            r"(AttributeError|_pickle.PicklingError): Can't .*",
            "PICK-1",
        ),
        ('raise LookupError("nothing that is known")', "LookupError: nothing that is known", None),
    ],
)
def test_a_run_that_fails_keeps_its_traceback_and_says_what_it_means(
    fault: str, last: str, more: str | None, thin_template: Path, tmp_path: Path
) -> None:
    require_runnable(DEFAULT, HERE)
    project = render(thin_template, tmp_path / "project", DEFAULT)
    with (project.source / "train.py").open("a", encoding="utf-8") as file:
        file.write(BROKEN_FIT.replace("FAULT", fault))
    ended = run_python(project, "-m", project.package, "train", system=HERE)
    assert ended.code == 1
    lines = ended.output.splitlines()
    at = max(number for number, line in enumerate(lines) if re.fullmatch(last, line))
    assert "Traceback (most recent call last):" in lines[:at]
    after = lines[at + 1 :]
    if more is None:
        assert after == []
    else:
        assert after[0].startswith(f"What this usually means ({more})"), ended.output
        assert len(after) <= 5
