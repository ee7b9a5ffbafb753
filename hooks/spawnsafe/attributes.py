"""Attributes and items of values."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from spawnsafe import calls, targets
from spawnsafe.facts.names import canonical
from spawnsafe.values import (
    NEVER_EMPTY,
    UNKNOWN,
    Bound,
    Choice,
    Class,
    Const,
    Function,
    Instance,
    Many,
    Name,
    Value,
    choose,
    constant,
)

if TYPE_CHECKING:
    from spawnsafe.machine import Machine


NAMESPACES = {"argparse.Namespace", "types.SimpleNamespace"}


def get(machine: Machine, owner: Value, name: str) -> Value:
    """`owner.name`, with methods bound to their owner."""
    if isinstance(owner, Choice):
        return choose([get(machine, option, name) for option in owner.options])
    if isinstance(owner, Name):
        if owner.qual == "typing" and name == "TYPE_CHECKING":
            return Const(False)
        return Name(canonical(f"{owner.qual}.{name}"), owner.context)
    if isinstance(owner, Instance):
        return _get_of_instance(machine, owner, name)
    if isinstance(owner, Class):
        member = owner.lookup(name)
        if isinstance(member, Function) and member.kind == "class":
            return Bound(owner, name, member)
        if member is None and any(owner.foreign_bases()):
            base = next(base for base in owner.foreign_bases() if base)
            return Name(f"{base}.{name}")
        return UNKNOWN if member is None else member
    return Bound(owner, name)


def _get_of_instance(machine: Machine, owner: Instance, name: str) -> Value:
    if name in owner.attrs:
        return owner.attrs[name]
    if owner.qual == "multiprocessing.get_context":
        return Name(f"multiprocessing.{name}", context_of(owner))
    if owner.qual == "multiprocessing.current_process" and name == "name":
        return Const("MainProcess" if machine.as_main else "SpawnProcess-1")
    if owner.qual in NAMESPACES and name in owner.kwargs:
        return owner.kwargs[name]
    if owner.qual.endswith("ArgumentParser().parse_args"):
        return machine.arguments.get(name, UNKNOWN)
    if owner.qual == "builtins.super":
        return _get_of_super(owner, name)
    if isinstance(owner.of, Class):
        member = owner.of.lookup(name)
        if name == "__class__":
            return owner.of
        if isinstance(member, Function):
            if member.kind == "static":
                return member
            return Bound(owner.of if member.kind == "class" else owner, name, member)
        if member is not None:
            return member
        if owner.open_ended and not owner.qual:
            return UNKNOWN
    if owner.qual == "pathlib.Path" and name == "parent" and isinstance(owner.of, Name):
        return Instance(owner.of, owner.node, [owner])
    if owner.qual.endswith("DataLoader") and name == "dataset":
        return owner.argument("dataset", 0) or UNKNOWN
    return Bound(owner, name)


def _get_of_super(owner: Instance, name: str) -> Value:
    """The next class after the one that a method stands in."""
    subject, kind = owner.owner, owner.args[0] if owner.args else None
    if subject is None or not isinstance(kind, Class):
        return UNKNOWN
    start = subject.of if isinstance(subject, Instance) else kind
    line = list(start.line()) if isinstance(start, Class) else []
    after = line[line.index(kind) + 1 :] if kind in line else list(kind.line())[1:]
    for base in after:
        if name in base.members:
            member = base.members[name]
            return Bound(subject, name, member) if isinstance(member, Function) else member
    return Bound(subject, f"super().{name}")


def context_of(instance: Instance) -> str:
    """The start method of a context; "default" for get_context() without a name."""
    method = constant(instance.argument("method", 0) or Const(None))
    if method is None:
        return "default"
    return method if isinstance(method, str) else "?"


def read_property(machine: Machine, value: Value, owner: Value, node: ast.AST) -> Value:
    """A property is called when it is read."""
    function = value.function if isinstance(value, Bound) else None
    if function is None or function.kind not in ("property", "cached"):
        return value
    result = calls.call_function(machine, function, [], {}, subject=owner, node=node)
    if function.kind == "cached" and result is not UNKNOWN:
        where = result.node if isinstance(result, Instance) else function.node
        targets.set_attribute(machine, owner, function.name, result, where)
    return result


def get_item(machine: Machine, owner: Value, key: Value, node: ast.AST) -> Value:
    """`owner[key]`; a data set of this file is asked for the sample."""
    if isinstance(owner, Many):
        name = constant(key)
        if name in owner.entries:
            return owner.entries[name]
        if (
            isinstance(name, int)
            and not owner.is_dict
            and -len(owner.items) <= name < len(owner.items)
        ):
            return owner.items[name]
        return choose(owner.elements()) if owner.elements() else UNKNOWN
    if isinstance(owner, Instance):
        if isinstance(owner.of, Class):
            getter = owner.of.lookup("__getitem__")
            if isinstance(getter, Function):
                return calls.call_function(machine, getter, [key], {}, subject=owner, node=node)
        stored = owner.attrs.get(f"[{constant(key)!r}]")
        if stored is not None:
            return stored
        if owner.qual == "h5py.File" and isinstance(owner.of, Name):
            return Instance(Name("h5py.File().get"), node)
    is_table = isinstance(owner, Name) and owner.qual in NEVER_EMPTY
    return owner if isinstance(owner, (Name, Class)) and not is_table else UNKNOWN
