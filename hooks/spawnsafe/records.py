"""Classes whose fields are listed: dataclasses, those of attrs, named tuples."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from spawnsafe import calls
from spawnsafe.facts.unpicklable import NAMED_TUPLES
from spawnsafe.values import (
    UNKNOWN,
    Class,
    Function,
    Instance,
    Many,
    Name,
    Value,
    constant,
)

if TYPE_CHECKING:
    from spawnsafe.machine import Machine

FIELDS = {"dataclasses.field", "attr.ib", "attr.field", "attrs.field"}


def is_named_tuple(kind: Class) -> bool:
    """Whether it is one, or inherits from one: class Point(namedtuple("Base", "x y"))."""
    return any(
        isinstance(base, (Name, Instance)) and base.qual in NAMED_TUPLES
        for each in kind.line()
        for base in each.bases
    )


def _fields_of_base(kind: Class) -> list[str]:
    """The names that a call of namedtuple() was given, as far as they are known."""
    for base in kind.bases:
        if isinstance(base, Instance) and base.qual in NAMED_TUPLES:
            given = base.argument("field_names", 1)
            if isinstance(given, Many):
                return [str(constant(item)) for item in given.items]
            text = constant(given)
            return text.replace(",", " ").split() if isinstance(text, str) else []
    return []


def fill_fields(
    machine: Machine, kind: Class, instance: Instance, args: list[Value], kwargs: dict[str, Value]
) -> None:
    """What a dataclass or a named tuple does: arguments become attributes, factories are called."""
    names = _fields_of_base(kind)
    names += [
        statement.target.id
        for statement in kind.node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    ]
    names += [
        name
        for name, member in kind.members.items()
        if isinstance(member, Instance) and member.qual in FIELDS and name not in names
    ]
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    for name in names:
        value = given.get(name, kind.members.get(name, UNKNOWN))
        if isinstance(value, Instance) and value.qual in FIELDS:
            factory = value.kwargs.get("default_factory") or value.kwargs.get("factory")
            value = value.kwargs.get("default", UNKNOWN)
            if factory is not None:
                value = calls.call_value(machine, factory, [], {}, instance.node)
                node = kind.members[name]
                if isinstance(node, Instance):
                    instance.stored_at[name] = node.node
        instance.attrs[name] = value
    after = kind.lookup("__post_init__")
    if isinstance(after, Function):
        calls.call_function(machine, after, [], {}, subject=instance, node=instance.node)
