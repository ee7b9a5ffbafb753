"""The few methods of foreign objects whose result can be known: of containers and texts."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from spawnsafe import calls, operators, targets
from spawnsafe.values import (
    UNKNOWN,
    Bound,
    Choice,
    Const,
    Instance,
    Many,
    Name,
    Value,
    choose,
    constant,
)

if TYPE_CHECKING:
    from spawnsafe.machine import Machine


@dataclass(frozen=True, slots=True)
class Call:
    """A call that is followed here; owner is the object whose method it is."""

    machine: Machine
    args: list[Value]
    kwargs: dict[str, Value]
    node: ast.AST
    owner: Value = UNKNOWN


Follow: TypeAlias = "Callable[[Call], Value | None]"
"""Gives the result of a call; None where it does not know more than others."""


def named(args: list[Value], kwargs: dict[str, Value]) -> dict[object, Value]:
    """What table.update(*args, **kwargs) sets, by key, as far as it is known."""
    table: dict[object, Value] = {}
    for value in args:
        table |= value.entries if isinstance(value, Many) else {}
    return table | dict(kwargs.items())


def _add_argument(call: Call) -> Value | None:
    """parser.add_argument("--num-workers", default=4): remember the default."""
    names = [name for value in call.args if isinstance(name := constant(value), str)]
    long = next((name for name in names if name.startswith("--")), names[0] if names else "")
    given = constant(call.kwargs.get("dest"))
    name = given if isinstance(given, str) else long.lstrip("-").replace("-", "_")
    if name and "default" in call.kwargs:
        call.machine.arguments[name] = call.kwargs["default"]
    return None


def _append(call: Call) -> Value | None:
    if isinstance(call.owner, Many) and len(call.owner.items) < 200:
        call.owner.items += call.args[-1:]
        return Const(None)
    return None


def _update(call: Call) -> Value | None:
    if isinstance(call.owner, Bound) and call.owner.name == "__dict__":
        for key, value in named(call.args, call.kwargs).items():
            if isinstance(key, str):
                targets.set_attribute(call.machine, call.owner.owner, key, value, call.node)
        return Const(None)
    if isinstance(call.owner, Many) and call.owner.is_dict:
        call.machine.record("setitem", "?", call.node, receiver=call.owner)
        for value in call.args:
            operators.merge(call.owner, value)
        for key, value in call.kwargs.items():
            call.machine.store(call.owner.entries, key, value)
        return Const(None)
    return None


def _get(call: Call) -> Value | None:
    """mapping.get(key, default)."""
    if isinstance(call.owner, Many) and call.owner.is_dict and call.args:
        default = call.args[1] if len(call.args) > 1 else Const(None)
        found = call.owner.entries.get(constant(call.args[0]))
        if found is not None:
            return found
        return choose([default, UNKNOWN]) if call.owner.open_ended else default
    return None


def _setdefault(call: Call) -> Value | None:
    if not isinstance(call.owner, Many) or not call.owner.is_dict or not call.args:
        return None
    key, default = constant(call.args[0]), call.args[1] if len(call.args) > 1 else Const(None)
    if key not in call.owner.entries:
        value = Choice([default, UNKNOWN]) if call.owner.open_ended else default
        call.machine.store(call.owner.entries, key, value)
    return call.owner.entries[key]


def _pop(call: Call) -> Value | None:
    found = _get(call)
    if isinstance(call.owner, Many) and call.owner.is_dict and call.args:
        call.machine.forget(call.owner.entries, constant(call.args[0]))
    return found


def _copy(call: Call) -> Value | None:
    if isinstance(call.owner, Many):
        return Many(
            call.owner.node,
            [*call.owner.items],
            {**call.owner.entries},
            call.owner.is_dict,
            call.owner.open_ended,
        )
    return None


def _view(name: str) -> Follow:
    def follow(call: Call) -> Value | None:
        """d.keys(), d.values(), d.items(): a view, which cannot be pickled."""
        if isinstance(call.owner, Many) and call.owner.is_dict:
            view = Name(f"builtins.dict().{name}")
            return Instance(view, call.node, [*call.owner.elements()], owner=call.owner)
        return None

    return follow


def _iter_method(call: Call) -> Value | None:
    calls.iterate(call.machine, call.owner, call.node)
    return None


def _enter_context(call: Call) -> Value | None:
    """stack.enter_context(x): what `with x as ...` gives."""
    return calls.enter(call.machine, call.args[0], call.node) if call.args else None


def _of_text(name: str) -> Follow:
    def follow(call: Call) -> Value | None:
        """text.endswith(x), text.__eq__(x): as Python finds it, where both texts are known."""
        text, given = constant(call.owner), constant(call.args[0]) if len(call.args) == 1 else ...
        if isinstance(text, str) and isinstance(given, str):
            return Const(getattr(text, name)(given))
        return None

    return follow


METHODS: dict[str, Follow] = {
    **{name: _of_text(name) for name in ("startswith", "endswith", "__eq__", "__ne__")},
    "__iter__": _iter_method,
    "add_argument": _add_argument,
    "enter_context": _enter_context,
    "append": _append,
    "add": _append,
    "insert": _append,
    "appendleft": _append,
    "extend": _append,
    "update": _update,
    "get": _get,
    "setdefault": _setdefault,
    "pop": _pop,
    "copy": _copy,
    "keys": _view("keys"),
    "values": _view("values"),
    "items": _view("items"),
}
