"""One file as the rules see it, and what they report."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from spawnsafe import shipping
from spawnsafe.facts.starting import FRAMEWORK_STARTS, STARTS
from spawnsafe.trace import CHILD, FREE, MAIN, Event, Trace
from spawnsafe.values import Instance, Value, constant


@dataclass(frozen=True)
class Project:
    """What the project says about itself, in pyproject.toml and .spec files.

    Attributes:
        frozen: whether it is frozen into an executable.
        entries: the files that an executable is made of, where a .spec file names them.
        has_cuda: False where the project takes torch from the index for CPUs.
        runs_on_macos: whether its classifiers name macOS.
    """

    frozen: bool = False
    entries: frozenset[Path] = frozenset()
    has_cuda: bool = True
    runs_on_macos: bool = False


@dataclass
class Module:
    """A file that was followed."""

    path: Path
    text: str
    tree: ast.Module
    trace: Trace
    is_notebook: bool = False
    is_package_main: bool = False
    project: Project = field(default_factory=Project)

    @cached_property
    def is_guarded(self) -> bool:
        return "__main__" in self.text

    @cached_property
    def default_method(self) -> str:
        """The start method that the file sets; "" if it sets none, or one that is not known."""
        for event in self.trace.events:
            if event.what == "multiprocessing.set_start_method" and event.value is not None:
                name = constant(_argument(event, "method"))
                if isinstance(name, str):
                    return name
        return ""

    @cached_property
    def at_import(self) -> list[Event]:
        """What surely happens in a worker that imports the file."""
        return [
            event
            for event in self.trace.during(CHILD)
            if not any(_may_be_guard(test) for test in event.tests)
        ]

    @cached_property
    def is_test(self) -> bool:
        """Whether it belongs to a test session, which is an application like any other."""
        name = self.path.stem
        return name == "conftest" or name.startswith("test_") or name.endswith("_test")

    @cached_property
    def sequences(self) -> list[list[Event]]:
        """Steps in the order in which they happen: the program, and each function on its own."""
        program = self.trace.during(MAIN) or self.trace.during(CHILD)
        alone: dict[int, list[Event]] = {}
        for event in self.trace.during(FREE):
            alone.setdefault(id(event.root), []).append(event)
        return [program, *alone.values()]

    @cached_property
    def has_workers(self) -> bool:
        """Whether anything in the file has to do with worker processes."""
        if any(starts_processes(self, event) for event in self.trace.events):
            return True
        for event in self.trace.events:
            loader = event.value
            if not isinstance(loader, Instance) or not shipping.is_loader(loader):
                continue
            if shipping.workers_of(loader)[0] in ("some", "unknown"):
                return True
        return any(shipping.is_dataset(kind) for kind in self.trace.classes)

    def mentions(self, pattern: str) -> bool:
        return re.search(pattern, self.text) is not None


def _argument(event: Event, name: str) -> Value | None:
    return event.kwargs.get(name) or (event.args[0] if event.args else None)


def _may_be_guard(test: ast.expr) -> bool:
    """Whether a condition about __name__ is not understood.

    A comparison with it is, so that in `__name__ == "__main__" or X` only X is open.
    """
    if isinstance(test, ast.UnaryOp):
        return _may_be_guard(test.operand)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return any(_may_be_guard(part) for part in test.values if not _compares_name(part))
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(test))


def _compares_name(test: ast.expr) -> bool:
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else []
    named = [isinstance(side, ast.Name) and side.id == "__name__" for side in sides]
    return len(sides) == 2 and any(named) and any(isinstance(s, ast.Constant) for s in sides)


def is_loader(value: Value | None) -> bool:
    return isinstance(value, Instance) and shipping.is_loader(value)


def starts_processes(module: Module, event: Event) -> str:
    """What starts processes in this step, in words; "" if nothing does."""
    value = event.value
    if event.kind == "iterate" and isinstance(value, Instance) and shipping.is_loader(value):
        context = shipping.loader_argument(value, "multiprocessing_context")
        method = constant(context) if context is not None else module.default_method
        state, count = shipping.workers_of(value)
        if state != "some" or method == "fork":
            return ""
        return f"this DataLoader starts {count or 'its'} worker process{'es' * (count != 1)}"
    if event.kind == "call" and event.what.endswith(".run_in_executor") and event.args:
        pool = event.args[0]
        starts = isinstance(pool, Instance) and pool.qual.endswith(".ProcessPoolExecutor")
        return "run_in_executor() starts worker processes" if starts else ""
    if event.kind != "call" or event.what not in STARTS:
        return ""
    of_context = value.context if isinstance(value, Instance) else ""
    if isinstance(event.receiver, Instance):
        of_context = of_context or event.receiver.context
    if (of_context or module.default_method) == "fork":
        return ""
    if event.what.startswith("concurrent") and isinstance(event.receiver, Instance):
        given = event.receiver.argument("mp_context", 1)
        if isinstance(given, Instance) and constant(given.argument("method", 0)) == "fork":
            return ""
    return f"{short(event.what)}() {STARTS[event.what]}"


def short(what: str) -> str:
    """multiprocessing.Process().start -> Process.start"""
    return what.replace("().", "\0").rpartition(".")[2].replace("\0", ".")


def in_framework(event: Event) -> str:
    return FRAMEWORK_STARTS.get(event.what, "") if event.kind == "call" else ""


@dataclass(frozen=True)
class Finding:
    """What a rule reports, before it has a place in a file."""

    node: ast.AST
    message: str
    cure: str


Check = Callable[[Module], Iterator[Finding]]


@dataclass(frozen=True)
class Rule:
    """A rule: its code is stable, its page says more."""

    code: str
    name: str
    severity: str
    kinds: tuple[str, ...]
    check: Check
    in_notebooks: bool = True


def line_of(node: ast.AST) -> int:
    return getattr(node, "lineno", 1)


def place(event: Event) -> str:
    """ " (line 5)" where a chain of calls leads elsewhere."""
    inner, outer = line_of(event.node), line_of(event.root)
    return "" if inner == outer else f" (line {inner})"


def mentions(node: ast.AST, *words: str) -> bool:
    """Whether a name, attribute or text in an expression contains one of these words."""
    for part in ast.walk(node):
        text = (
            part.id if isinstance(part, ast.Name)
            else part.attr if isinstance(part, ast.Attribute)
            else part.value if isinstance(part, ast.Constant) and isinstance(part.value, str)
            else ""
        )  # fmt: skip
        if any(word in text for word in words):
            return True
    return False


def surely_before(one: Event, other: Event) -> bool:
    """Whether the first step happens whenever the second does: it has no condition of its own."""
    return one.tests == other.tests[: len(one.tests)]
