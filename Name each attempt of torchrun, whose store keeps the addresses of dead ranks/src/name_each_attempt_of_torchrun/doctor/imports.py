"""Imports each module of the project, and names the one that does more than define something.

What is looked at is looked at after each import of an import, so that the innermost one is named.
"""

from __future__ import annotations

import importlib
import multiprocessing
import multiprocessing.util
import os
import pkgutil
import sys
import threading
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import FrameType
from typing import Any

import psutil

LATE = {
    "torch": ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OMP_WAIT_POLICY", "KMP_AFFINITY"),
    "numpy": ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"),
}
"""Variables that a library reads when it is imported, and never again."""
STARTS = ("subprocess.Popen", "os.fork", "os.posix_spawn", "_winapi.CreateProcess")
"""Events of Python's audit that tell of a new process."""


def import_all(package: str) -> dict[str, Any]:
    """Import every module of a package, and tell what that did.

    Returns:
        "modules": how many there are; "found": for each thing that was done, what, by which module,
        the line if it is known, and the module of the project that was being imported.
    """
    watch = Watch()
    names = [package, *module_names(package)]
    for name in names:
        watch.project_module = name
        print(f"importing {name}", flush=True)
        importlib.import_module(name)
        watch.look(name)
    return {"modules": len(names), "found": watch.found}


def module_names(package: str) -> list[str]:
    """The modules of a package that are imported, not started."""
    path = importlib.import_module(package).__path__
    names = [module.name for module in pkgutil.walk_packages(path, f"{package}.")]
    # One acts when it is imported: that is its purpose.
    return [name for name in names if name != f"{package}.runtime.preload"]


class Watch(MetaPathFinder):
    """Looks at this process after each module that is imported."""

    def __init__(self) -> None:
        self.project_module = ""
        self.found: list[dict[str, str]] = []
        self._imported: set[str] = set()
        self._place = ""
        """The line that started the last thread or process."""
        self._processes_started = 0
        self._state = self._read_state()
        sys.addaudithook(self._audit)
        sys.meta_path.insert(0, self)
        # Of these two, no audit tells.
        self._note_calls(vars(multiprocessing.util), "spawnv_passfds", processes=1)
        self._note_calls(vars(threading), "_start_new_thread", processes=0)

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """Find a module as ever, and look at the process once it has run."""
        others = (finder for finder in sys.meta_path if finder is not self)
        found = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in found if spec), None)
        if spec is None or spec.loader is None or isinstance(spec.loader, type):
            return spec
        execute = spec.loader.exec_module

        def execute_and_look(module: Any) -> None:
            self._place = ""
            execute(module)
            self.look(name)
            self._imported.add(name)

        vars(spec.loader)["exec_module"] = execute_and_look
        return spec

    def look(self, name: str) -> None:
        """Note what is different since the last look, done by the module that has just run."""
        state = self._read_state()
        for what, value in state.items():
            if value and value != self._state[what]:
                self._add(what, name, self._place if what.startswith("starts") else "")
        self._state = state

    def _add(self, what: str, module: str, place: str) -> None:
        found = {"what": what, "module": module, "place": place, "importing": self.project_module}
        self.found.append(found)

    def _read_state(self) -> dict[str, int]:
        torch = sys.modules.get("torch")
        threads = threading.active_count() - 1
        native = len(os.listdir("/proc/self/task")) - 1 if sys.platform == "linux" else threads
        return {
            "starts a thread": threads,
            "starts a native thread": max(0, native - threads),
            # To look for children takes milliseconds, too long for each of 2,000 modules.
            "starts a process": len(psutil.Process().children()) if self._processes_started else 0,
            "settles the start method": bool(multiprocessing.get_start_method(allow_none=True)),
            "touches CUDA": is_initialized(torch, "cuda"),
            "touches XPU": is_initialized(torch, "xpu"),
        }

    def _note_calls(self, namespace: dict[str, Any], name: str, *, processes: int) -> None:
        function = namespace[name]

        def note_and_call(*arguments: Any, **options: Any) -> Any:
            self._note_start(processes)
            return function(*arguments, **options)

        namespace[name] = note_and_call

    def _audit(self, event: str, arguments: Any) -> None:
        if event in STARTS:
            self._note_start(1)
        elif event == "os.putenv":
            name = os.fsdecode(arguments[0])
            read_by = [library for library, names in LATE.items() if name in names]
            module, place = module_that_runs(sys._getframe(1))
            if self._imported.intersection(read_by):
                self._add(f"sets {name} too late", module, place)

    def _note_start(self, processes: int) -> None:
        self._processes_started += processes
        _, self._place = module_that_runs(sys._getframe(1))


def is_initialized(torch: Any, kind: str) -> bool:
    """Whether torch has begun to use a kind of accelerator; False while it is being imported."""
    module = getattr(torch, kind, None)
    return bool(module and hasattr(module, "is_initialized") and module.is_initialized())


def module_that_runs(frame: FrameType | None) -> tuple[str, str]:
    """The module whose lines outside of all functions led here, and that line."""
    while frame and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    if frame is None:
        return "", ""
    return frame.f_globals["__name__"], f"{frame.f_code.co_filename}:{frame.f_lineno}"
