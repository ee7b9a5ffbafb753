"""Importing a module does nothing: every worker process imports some of them again."""

import os
import subprocess
import sys

PROBE = """
import importlib, multiprocessing, pkgutil, sys, threading
import psutil
import name_each_attempt_of_torchrun

names = [m.name for m in pkgutil.walk_packages(name_each_attempt_of_torchrun.__path__, "name_each_attempt_of_torchrun.")]
names.remove("name_each_attempt_of_torchrun.runtime.preload")  # acts when the fork server imports it
for name in names:
    importlib.import_module(name)
    process, torch = psutil.Process(), sys.modules.get("torch")
    faults = {
        "starts a thread": threading.active_count() > 1,
        "starts a native thread": sys.platform == "linux" and process.num_threads() > 1,
        "starts a process": bool(process.children()),
        "settles the start method": multiprocessing.get_start_method(allow_none=True) is not None,
        "touches CUDA": torch is not None and torch.cuda.is_initialized(),
        "touches XPU": torch is not None and torch.xpu.is_initialized(),
    }
    found = [fault for fault, is_so in faults.items() if is_so]
    if found:
        sys.exit(f"importing {name} {', '.join(found)}")
print(len(names))
"""


def test_importing_a_module_does_nothing() -> None:
    # numpy's BLAS starts threads of its own unless told otherwise.
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    child = subprocess.run(
        [sys.executable, "-c", PROBE],
        env={**os.environ, **one_thread},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert child.returncode == 0, child.stderr
    assert int(child.stdout) > 10


def test_help_answers_without_torch() -> None:
    code = (
        "import sys; from name_each_attempt_of_torchrun.cli import parse\n"
        "try: parse(['train', '--help'])\n"
        "except SystemExit: sys.exit('torch' in sys.modules)"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert child.returncode == 0, child.stderr
    assert "--epochs" in child.stdout
