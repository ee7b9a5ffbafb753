"""Follows `def` and `class`: decorators, defaults and class bodies run at once."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from spawnsafe import calls
from spawnsafe.values import (
    UNKNOWN,
    Bound,
    Class,
    Const,
    Function,
    FunctionNode,
    Instance,
    Name,
    Scope,
    Value,
    options_of,
)

if TYPE_CHECKING:
    from spawnsafe.machine import Machine

KINDS = {
    "builtins.staticmethod": "static",
    "builtins.classmethod": "class",
    "builtins.property": "property",
    "functools.cached_property": "cached",
}


def make_function(machine: Machine, node: FunctionNode, scope: Scope) -> Function:
    """The function itself, with the defaults that are evaluated now."""
    defaults = [machine.evaluate(default, scope) for default in node.args.defaults]
    named = {
        argument.arg: machine.evaluate(default, scope)
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if default is not None
    }
    return Function(node, scope, defaults, named, is_local=is_in_function(scope))


def is_in_function(scope: Scope | None) -> bool:
    while scope is not None:
        if scope.kind == "function":
            return True
        scope = scope.outer
    return False


def define_function(
    machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope
) -> Value:
    """A function after its decorators."""
    function = make_function(machine, node, scope)
    if node.name in scope.declared_global:
        function.is_local = False
    machine.trace.functions.append(function)
    value: Value = function
    for decorator in reversed(node.decorator_list):
        value = _decorate(machine, decorator, value, scope)
    return value


def _decorate(machine: Machine, node: ast.expr, value: Value, scope: Scope) -> Value:
    """What a decorator makes of a function or class; itself, if that is not known."""
    decorator = machine.evaluate(node, scope)
    if isinstance(decorator, Name) and isinstance(value, Function):
        value.kind = KINDS.get(decorator.qual, value.kind)
        return value
    if isinstance(decorator, Instance) and decorator.qual == "functools.wraps":
        if isinstance(value, Function) and decorator.args:
            value.wraps = decorator.args[0]
        return value
    if isinstance(decorator, Instance) and decorator.qual.endswith((".command", ".callback")):
        if isinstance(value, Function) and decorator.owner is not None:
            machine.commands.setdefault(id(decorator.owner), []).append(value)
        return value
    for option in options_of(decorator):
        inside = isinstance(option, (Function, Class))
        if inside or (isinstance(option, Bound) and option.function):
            result = calls.call_value(machine, option, [value], {}, node)
            return value if result is UNKNOWN else result
    return value


def _tell_others(machine: Machine, node: ast.ClassDef, kind: Class, scope: Scope) -> None:
    """A new class is told to its members, its base class and its metaclass, at once."""
    for name, member in list(kind.members.items()):
        if isinstance(member, Instance) and isinstance(member.of, Class):
            hear = member.of.lookup("__set_name__")
            if isinstance(hear, Function):
                at = member.node
                calls.call_function(machine, hear, [kind, Const(name)], {}, subject=member, node=at)
    told = [base.lookup("__init_subclass__") for base in kind.bases if isinstance(base, Class)]
    for keyword in node.keywords:
        maker = machine.evaluate(keyword.value, scope)
        if keyword.arg == "metaclass" and isinstance(maker, Class):
            told.append(maker.lookup("__init__"))
    for method in told:
        if isinstance(method, Function):
            calls.call_function(machine, method, [], {}, subject=kind, node=node)


def define_class(machine: Machine, node: ast.ClassDef, scope: Scope) -> Value:
    """A class: its body runs now, like module level."""
    bases = [machine.evaluate(base, scope) for base in node.bases]
    bases = [
        base.of if isinstance(base, Instance) and base.qual == "builtins.super" else base
        for base in bases
    ]
    inner = Scope("class", scope)
    kind = Class(node, bases, inner.names, is_local=is_in_function(scope))
    machine.run(node.body, inner)
    for member in list(inner.names.values()):
        for option in options_of(member):
            if isinstance(option, Function) and option.owner is None and option.scope is inner:
                option.owner = kind
    machine.trace.classes.append(kind)
    _tell_others(machine, node, kind, scope)
    value: Value = kind
    for decorator in reversed(node.decorator_list):
        kind.is_decorated = True
        value = _decorate(machine, decorator, value, scope)
    return value
