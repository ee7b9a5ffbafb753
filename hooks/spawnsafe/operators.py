"""What operators make of values that are known."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from spawnsafe.values import (
    UNKNOWN,
    Choice,
    Const,
    Instance,
    Joined,
    Many,
    Value,
    constant,
)

OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
COMPARISONS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: lambda a, b: a is b or a == b,
    ast.IsNot: lambda a, b: not (a is b or a == b),
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


def merge(into: Many, value: Value) -> None:
    """Take over the entries of another dictionary."""
    if isinstance(value, Many):
        into.entries.update(value.entries)
        into.items += value.items
        into.open_ended = into.open_ended or value.open_ended
    else:
        into.open_ended = True


def combine(op: ast.operator, left: Value, right: Value) -> Value:
    if isinstance(left, Many) and isinstance(right, Many):
        result = Many(left.node, list(left.items), dict(left.entries), left.is_dict)
        merge(result, right)
        result.open_ended = result.open_ended or left.open_ended
        return result
    if isinstance(left, Const) and isinstance(right, Const) and type(op) in OPERATORS:
        if all(isinstance(v.value, (int, float)) for v in (left, right)):
            try:
                return Const(OPERATORS[type(op)](left.value, right.value))
            except (ArithmeticError, ValueError):
                return UNKNOWN
        if isinstance(op, ast.Add) and isinstance(left.value, str) and isinstance(right.value, str):
            return Const(left.value + right.value)
    if isinstance(op, ast.Div) and isinstance(left, Instance) and left.qual == "pathlib.Path":
        return Instance(left.of, left.node, [left, right])
    if isinstance(left, Joined) and len(left.parts) < 40:
        return Joined([*left.parts, right])
    return Joined([left, right])


def compare(op: ast.cmpop, left: Value, right: Value) -> bool | None:
    one, other = constant(left), constant(right)
    if isinstance(right, Many) and not right.open_ended:
        other = [constant(item) for item in right.items]
        if ... in other and one not in other:
            return None
    elif isinstance(op, (ast.Is, ast.IsNot)) and other is None and _is_object(left):
        return isinstance(op, ast.IsNot)
    if one is ... or other is ...:
        return None
    try:
        return bool(COMPARISONS[type(op)](one, other))
    except (TypeError, KeyError):
        return None


def _is_object(value: Value) -> bool:
    """Whether it is surely not None."""
    return (
        not isinstance(value, Choice)
        and value is not UNKNOWN
        and constant(value) is ...
        and (
            isinstance(value, (Many, Joined)) or (isinstance(value, Instance) and bool(value.qual))
        )
    )
