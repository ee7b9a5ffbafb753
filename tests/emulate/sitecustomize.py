"""Lets a project on Linux start its workers as it would on Windows or macOS, with real processes.

Python imports this file by itself, in every process, if its folder is on PYTHONPATH; it acts if
EMULATE_PLATFORM is win32 or darwin. sys.platform stays as it is, for all of Python would break: only
the project's own look at it, in runtime/start.py, is answered differently, and what multiprocessing
says about its start methods is what it says there.
"""

from __future__ import annotations

import multiprocessing.context
import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType, SimpleNamespace
from typing import Any

METHODS = {"win32": ["spawn"], "darwin": ["spawn", "fork", "forkserver"]}


class StartFinder(MetaPathFinder):
    """Finds PACKAGE.runtime.start as ever, and gives it another `sys` once it has run."""

    def __init__(self, platform: str) -> None:
        self.platform = platform

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name.endswith(".runtime.start") else None
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_patch(module: ModuleType) -> None:
            execute(module)
            assert isinstance(module.sys, ModuleType)  # or it no longer looks there
            vars(module)["sys"] = SimpleNamespace(platform=self.platform)

        vars(spec.loader)["exec_module"] = execute_and_patch
        return spec


class StacksFinder(MetaPathFinder):
    """Finds PACKAGE.runtime.stacks, which imports msvcrt in a project for Windows alone.

    Only that module sees one: others, subprocess for one, would take it for Windows. On Linux the
    number of a pipe is its descriptor already.
    """

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name.endswith(".runtime.stacks") else None
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_with_msvcrt(module: ModuleType) -> None:
            sys.modules["msvcrt"] = msvcrt = ModuleType("msvcrt")
            vars(msvcrt)["open_osfhandle"] = lambda handle, flags: handle
            try:
                execute(module)
            finally:
                del sys.modules["msvcrt"]

        vars(spec.loader)["exec_module"] = execute_with_msvcrt
        return spec


def emulate(platform: str) -> None:
    """Make this process answer as one on another system would."""
    context: Any = multiprocessing.context
    # Only the default, not a choice: nothing counts as settled yet.
    context._default_context.__init__(context._concrete_contexts["spawn"])
    vars(multiprocessing)["get_all_start_methods"] = lambda: METHODS[platform]
    sys.meta_path.insert(0, StartFinder(platform))
    if platform == "win32":
        sys.meta_path.insert(0, StacksFinder())


if wanted := os.environ.get("EMULATE_PLATFORM"):
    emulate(wanted)
