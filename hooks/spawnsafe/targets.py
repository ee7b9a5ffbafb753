"""Assignments: to names, attributes and items."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from spawnsafe import calls, expressions, operators
from spawnsafe.values import (
    UNKNOWN,
    Bound,
    Class,
    Instance,
    Many,
    Name,
    Scope,
    Value,
    constant,
    options_of,
)

if TYPE_CHECKING:
    from spawnsafe.machine import Machine

SOME_KEY = "<a key>"
"""Stands for an attribute or key whose name is not known."""


def bind(machine: Machine, scope: Scope, name: str, value: Value, node: ast.AST) -> None:
    """Give a name a value, where the scope says that the name lives."""
    if name in scope.declared_global:
        machine.store(machine.module.names, name, value)
        machine.record("setglobal", name, node, value=value)
        return
    machine.store(scope.names, name, value)
    if scope is machine.module:
        machine.record("setglobal", name, node, value=value)


def assign(machine: Machine, target: ast.expr, value: Value, scope: Scope) -> None:
    """Follow `target = value`."""
    if isinstance(target, ast.Name):
        bind(machine, scope, target.id, value, target)
    elif isinstance(target, ast.Attribute):
        owner = machine.evaluate(target.value, scope)
        for option in options_of(owner):
            set_attribute(machine, option, target.attr, value, target)
    elif isinstance(target, ast.Subscript):
        _set_item(machine, target, value, scope)
    elif isinstance(target, ast.Starred):
        assign(machine, target.value, UNKNOWN, scope)
    elif isinstance(target, (ast.Tuple, ast.List)):
        if isinstance(value, Instance):
            calls.iterate(machine, value, target)
        for part, element in zip(target.elts, _unpack(value, len(target.elts)), strict=False):
            assign(machine, part, element, scope)


def _unpack(value: Value, count: int) -> list[Value]:
    for option in options_of(value):
        if isinstance(option, Many) and not option.is_dict and len(option.items) == count:
            return option.items
        if isinstance(option, Instance) and option.qual == "torch.utils.data.random_split":
            return [option.args[0] if option.args else UNKNOWN] * count
        if isinstance(option, Instance) and option.qual in expressions.PASS_THROUGH:
            return option.args[:count] if len(option.args) == count else [UNKNOWN] * count
    return [UNKNOWN] * count


def set_attribute(machine: Machine, owner: Value, name: str, value: Value, node: ast.AST) -> None:
    """Follow `owner.name = value`."""
    if isinstance(owner, Instance):
        machine.store(owner.attrs, name, value)
        machine.store(owner.stored_at, name, node)
        machine.record("setattr", name, node, value=value, receiver=owner)
    elif isinstance(owner, Class):
        machine.store(owner.members, name, value)
        machine.record("setattr", name, node, value=value, receiver=owner)
    elif isinstance(owner, Name):
        machine.record("set", f"{owner.qual}.{name}", node, value=value)


def _set_item(machine: Machine, target: ast.Subscript, value: Value, scope: Scope) -> None:
    owner = machine.evaluate(target.value, scope)
    key = machine.evaluate(target.slice, scope)
    what = owner.qual if isinstance(owner, Name) else "?"
    machine.record("setitem", what, target, value=value, receiver=owner, args=[key])
    for option in options_of(owner):
        name = constant(key)
        if isinstance(option, Bound) and option.name == "__dict__" and isinstance(name, str):
            set_attribute(machine, option.owner, name, value, target)
        elif isinstance(option, Many):
            put(machine, option, key, value)
        elif isinstance(option, Instance):
            # Unknown containers keep what is put into them, under a name of their own.
            machine.store(option.attrs, f"[{constant(key)!r}]", value)
            machine.store(option.stored_at, f"[{constant(key)!r}]", target)


def put(machine: Machine, owner: Many, key: Value, value: Value) -> None:
    """Follow `owner[key] = value`."""
    name = constant(key)
    if isinstance(name, (str, int)) and owner.is_dict:
        machine.store(owner.entries, name, value)
    elif len(owner.items) < 200:
        owner.items.append(value)


def augment(machine: Machine, node: ast.AugAssign, scope: Scope) -> None:
    """Follow `target += value`: a list grows, anything else is joined."""
    added = machine.evaluate(node.value, scope)
    old = expressions.evaluate_quietly(machine, _as_load(node.target), scope)
    if isinstance(old, Many):
        grown = [*old.items, *(added.items if isinstance(added, Many) else [])]
        entries = {**old.entries, **(added.entries if isinstance(added, Many) else {})}
        value: Value = Many(old.node, grown, entries, old.is_dict, old.open_ended)
    else:
        value = operators.combine(node.op, old, added)
    assign(machine, node.target, value, scope)


def _as_load(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Name):
        return ast.copy_location(ast.Name(node.id, ast.Load()), node)
    if isinstance(node, ast.Attribute):
        return ast.copy_location(ast.Attribute(node.value, node.attr, ast.Load()), node)
    return node


def delete(machine: Machine, target: ast.expr, scope: Scope) -> None:
    """Follow `del target`."""
    if isinstance(target, ast.Name):
        machine.forget(scope.names, target.id)
    elif isinstance(target, ast.Attribute):
        owner = machine.evaluate(target.value, scope)
        if isinstance(owner, Instance):
            machine.forget(owner.attrs, target.attr)
    elif isinstance(target, ast.Subscript):
        owner = machine.evaluate(target.value, scope)
        key = constant(machine.evaluate(target.slice, scope))
        if isinstance(owner, Many) and isinstance(key, (str, int)):
            machine.forget(owner.entries, key)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            delete(machine, part, scope)
