"""What in a value cannot be sent to another process, as pickle sees it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from spawnsafe.facts.loading import DATASETS
from spawnsafe.facts.starting import SYNCHRONIZED
from spawnsafe.facts.unpicklable import CONTAINERS, HANDLES, ITERATORS, LIVE, MADE_CLASSES
from spawnsafe.trace import Problem
from spawnsafe.values import (
    Bound,
    Choice,
    Class,
    Function,
    Instance,
    Many,
    Name,
    Value,
    constant,
    options_of,
    parts,
)

if TYPE_CHECKING:
    from spawnsafe.machine import Machine

MOST_DEPTH = 6
OWN_PICKLING = ("__reduce__", "__reduce_ex__", "__getnewargs_ex__")
SELF = "self"
CACHES = {"functools.lru_cache()", "functools.lru_cache", "functools.cache"}
"""Pickle looks for their result by the name of the method, and finds the method itself."""


def problems(machine: Machine, value: Value, path: str = "") -> list[Problem]:
    """All parts that cannot travel, each once."""
    found: dict[tuple[int, str], Problem] = {}
    for problem in _search(machine, value, path, None, 0):
        found.setdefault((id(problem.node), problem.kind), problem)
    return list(found.values())


def _search(
    machine: Machine, value: Value, path: str, at: ast.AST | None, depth: int
) -> Iterator[Problem]:
    """Args:
    at: where the value was stored, if it was stored as an attribute.
    """
    if depth > MOST_DEPTH:
        return
    inner: list[tuple[Value, str]] = []
    if isinstance(value, Choice):
        inner = [(option, path) for option in value.options]
    elif isinstance(value, Many):
        inner = [(element, path) for element in value.elements()]
        if isinstance(value.node, (ast.List, ast.Dict)) and _is_empty(value.node):
            at = None  # What was put into it later has a place of its own.
    elif isinstance(value, Function):
        yield from _search_function(machine, value, path)
    elif isinstance(value, Class):
        yield from _search_class(machine, value, path)
    elif isinstance(value, Bound) and value.function is not None:
        # Of a foreign object it is not known whether this is a method, or data.
        inner = [(value.owner, path)]
    elif isinstance(value, Instance):
        yield from _search_instance(machine, value, path, at, depth)
    elif isinstance(value, Name) and value.is_module and at is not None:
        yield Problem("iterator", at, path, f"the module {value.qual}")
    for part, name in inner:
        yield from _search(machine, part, name, at, depth + 1)


def inherited_only(value: Value) -> list[Problem]:
    """Locks and queues of multiprocessing: a process gets them as it starts, and never in a task."""
    return [
        Problem("inherited", part.node, "", f"a multiprocessing {part.qual.rpartition('.')[2]}")
        for part in parts(value)
        if isinstance(part, Instance) and part.qual in SYNCHRONIZED
    ]


def _is_empty(node: ast.List | ast.Dict) -> bool:
    return not (node.elts if isinstance(node, ast.List) else node.values)


def _search_function(machine: Machine, value: Function, path: str) -> Iterator[Problem]:
    """Functions travel by name: the name must be found in the module, and be this function."""
    if isinstance(value.node, ast.Lambda):
        yield Problem("lambda", value.node, path, "a lambda")
        return
    found = machine.module.names.get(value.name)
    wrapped = value.wraps
    if isinstance(wrapped, Function) and not wrapped.is_local:
        if machine.module.names.get(wrapped.name) is not value and wrapped.owner is None:
            what = f"a wrapper that pickle takes for {wrapped.name}(), which is another function"
            yield Problem("rebound", value.node, path, what)
        return
    if value.is_local and wrapped is None:
        yield Problem("local", value.node, path, f"{value.name}(), defined inside a function")
    elif found is value and _is_hidden(machine, value.name):
        yield Problem("hidden", value.node, path, f"{value.name}()")


def _is_hidden(machine: Machine, name: str) -> bool:
    """Whether a worker, after it has imported the main file, has no such name."""
    return machine.as_main and name not in machine.trace.child_names


def _search_class(machine: Machine, value: Class, path: str) -> Iterator[Problem]:
    if value.is_local:
        yield Problem("local", value.node, path, f"class {value.name}, defined inside a function")
    elif machine.module.names.get(value.name) is value and _is_hidden(machine, value.name):
        yield Problem("hidden", value.node, path, f"class {value.name}")


def _search_instance(
    machine: Machine, value: Instance, path: str, at: ast.AST | None, depth: int
) -> Iterator[Problem]:
    if isinstance(value.of, Class):
        yield from _search_object(machine, value, value.of, path, depth)
        return
    qual = value.qual
    for table, kind in ((LIVE, "live"), (HANDLES, "handle"), (ITERATORS, "iterator")):
        if qual in table and not _is_plain(value):
            yield Problem(kind, at or value.node, path, table[qual])
            return
    if qual in CACHES and value.args and isinstance(value.args[0], Bound):
        yield Problem("local", at or value.node, path, "a cache around a method")
        return
    if qual == "builtins.generator" and value.args:
        return
    made = value.owner if qual[:-2] in MADE_CLASSES else value
    if isinstance(made, Instance) and made.qual in MADE_CLASSES:
        yield from _search_made_class(machine, made, path)
    if qual in CONTAINERS or qual in DATASETS or made is value.owner:
        for part in (*value.args, *value.kwargs.values()):
            yield from _search(machine, part, path, at, depth + 1)
    if qual in DATASETS:
        yield from _search_attributes(machine, value, path, depth, None)


def _search_made_class(machine: Machine, made: Instance, path: str) -> Iterator[Problem]:
    """A class made by a call, such as namedtuple("Point", ...): it travels by the name given there."""
    name = constant(made.argument("typename", 0))
    if not isinstance(name, str) or made.open_ended or made.kwargs.keys() & {"module"}:
        return
    names = {
        bound
        for bound, value in machine.module.names.items()
        if any(option is made for option in options_of(value))
    }
    if name not in names:
        kind, where = (
            ("misnamed", "kept under another name")
            if names
            else ("local", "made inside a function or class")
        )
        yield Problem(kind, made.node, path, f"class {name} ({where})")
    elif _is_hidden(machine, name):
        yield Problem("hidden", made.node, path, f"class {name}")


def _is_plain(value: Instance) -> bool:
    """open() of a Path object is a file; a bar or reader that is switched off is not."""
    return value.qual == "pathlib.Path().open" and value.owner is None


def _search_object(
    machine: Machine, value: Instance, kind: Class, path: str, depth: int
) -> Iterator[Problem]:
    """An object of a class of this file: its class, and what it holds."""
    yield from _search_class(machine, kind, path)
    if any(kind.lookup(name) is not None for name in OWN_PICKLING):
        return
    getter = kind.lookup("__getstate__")
    node = getter.node if isinstance(getter, Function) else None
    yield from _search_attributes(machine, value, path, depth, node)
    if value.base is not None and value.base.qual in DATASETS and node is None:
        for part in (*value.base.args, *value.base.kwargs.values()):
            yield from _search(machine, part, path, None, depth + 1)


def _search_attributes(
    machine: Machine, value: Instance, path: str, depth: int, getter: ast.AST | None
) -> Iterator[Problem]:
    """Args:
    getter: the __getstate__ that may drop some.
    """
    for name, held in list(value.attrs.items()):
        if getter is not None and drops(getter, name):
            continue
        label = f"{path or SELF}.{name}" if name.isidentifier() else path or SELF
        for option in options_of(held):
            if option is not value:
                at = value.stored_at.get(name)
                yield from _search(machine, option, label, at, depth + 1)


def drops(getter: ast.AST, name: str) -> bool:
    """Whether a __getstate__ leaves an attribute out.

    Only a method that copies everything, and then names what it drops, surely keeps the rest.
    """
    copies = False
    for node in ast.walk(getter):
        if isinstance(node, (ast.DictComp, ast.For, ast.While)):
            return True
        if isinstance(node, ast.Constant) and node.value == name:
            return True
        if isinstance(node, ast.Attribute):
            copies = copies or node.attr == "__dict__"
            if node.attr == name and isinstance(node.ctx, (ast.Store, ast.Del)):
                return True
        if isinstance(node, ast.keyword) and node.arg == name:
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            copies = copies or node.func.id == "vars"
    return not copies


def describe(value: Value) -> str:
    """A value in a few words, for a message."""
    if isinstance(value, Instance) and isinstance(value.of, Class):
        return value.of.name
    if isinstance(value, (Function, Class)):
        return value.name
    if isinstance(value, Instance) and isinstance(value.of, Name):
        return value.of.qual.rsplit(".", 1)[-1]
    if isinstance(value, Bound):
        return f"{describe(value.owner)}.{value.name}"
    return "a value"
