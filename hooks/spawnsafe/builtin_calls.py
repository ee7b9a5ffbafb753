"""The few foreign calls whose result can be known: of Python itself, and wrappers of iterators."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from spawnsafe import attributes, calls, expressions, shipping, targets
from spawnsafe.facts.loading import ITERATOR_WRAPPERS
from spawnsafe.values import (
    UNKNOWN,
    Bound,
    Choice,
    Class,
    Const,
    Instance,
    Joined,
    Many,
    Name,
    Value,
    choose,
    constant,
    options_of,
    truth,
)

if TYPE_CHECKING:
    from spawnsafe.machine import Machine

WRAPPERS = ITERATOR_WRAPPERS
BEGIN_AT_ONCE = (
    "builtins.iter", "builtins.enumerate", "builtins.zip", "builtins.map", "builtins.filter",
    "itertools.islice", "itertools.cycle",
)  # fmt: skip
"""Wrappers that ask for the iterator when they are made, not when a loop over them begins."""


def _consume(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    """list(x), sum(x): iterates, and gives what is not followed."""
    for value in args:
        calls.iterate(machine, value, node)
    return None


def _decided_by(decides: bool) -> Callable[..., Value | None]:
    def follow(
        machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
    ) -> Value | None:
        """any(x), all(x): one element may decide, whatever the others are."""
        for value in args:
            calls.iterate(machine, value, node)
        given = args[0] if args else None
        if not isinstance(given, Many) or given.open_ended or given.is_dict:
            return None
        verdicts = [truth(item) for item in given.items]
        if decides in verdicts:
            return Const(decides)
        return None if None in verdicts else Const(not decides)

    return follow


def _consume_to_list(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    if not args:
        return Many(node)
    value = args[0]
    if isinstance(value, Many) and not value.is_dict:
        return Many(node, list(value.items), open_ended=value.open_ended)
    element = calls.iterate(machine, value, node)
    return Many(node, [element], open_ended=True)


def _next(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    for value in args[:1]:
        calls.iterate(machine, value, node)
    return UNKNOWN


def _wrap(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    """iter(x), enumerate(x): asks for the iterator at once, and gives one that wraps it."""
    for value in args:
        if not isinstance(value, Many):
            calls.iterate(machine, value, node)
    return None


def _dict(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    many = Many(node, is_dict=True)
    for value in args:
        expressions.merge(many, value)
    many.entries.update(kwargs)
    return many


def _setattr(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    if len(args) == 3:
        name = constant(args[1])
        known = name if isinstance(name, str) else targets.SOME_KEY
        targets.set_attribute(machine, args[0], known, args[2], node)
    return Const(None)


def _getattr(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    name = constant(args[1]) if len(args) > 1 else ...
    if not isinstance(name, str):
        return UNKNOWN
    value = attributes.get(machine, args[0], name)
    return choose([value, args[2]]) if len(args) == 3 else value


def _number(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    """int(x), float(x): the number, if it is known."""
    results: list[Value] = []
    for option in options_of(args[0] if args else Const(0)):
        try:
            number = constant(option)
            results.append(Const(int(number)) if isinstance(number, (str, int, float)) else option)
        except ValueError:
            return UNKNOWN
    return choose(results)


def _bool(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    verdict = truth(args[0]) if args else False
    return UNKNOWN if verdict is None else Const(verdict)


def _extreme(pick: Callable[[list[float]], float]) -> Callable[..., Value | None]:
    def follow(
        machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
    ) -> Value | None:
        """min(a, b), max(a, b): a number, if all are known."""
        values = args
        if len(args) == 1:
            calls.iterate(machine, args[0], node)
            values = args[0].elements() if isinstance(args[0], Many) else []
        numbers = [constant(value) for value in values]
        known = [number for number in numbers if isinstance(number, (int, float))]
        if known and len(known) == len(numbers):
            return Const(pick(known))
        if pick is max and any(number > 0 for number in known):
            return Joined([Const(pick(known))])
        return Joined(values) if values else UNKNOWN

    return follow


def _super(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    frame = next((f for f in reversed(machine.frames) if f.subject is not None), None)
    if frame is None or frame.function is None or frame.function.owner is None:
        return UNKNOWN
    return Instance(Name("builtins.super"), node, [frame.function.owner], owner=frame.subject)


def _named(args: list[Value], kwargs: dict[str, Value]) -> dict[object, Value]:
    """What table.update(*args, **kwargs) sets, by key, as far as it is known."""
    given = [value.entries for value in args if isinstance(value, Many)]
    return {key: value for entries in (*given, kwargs) for key, value in entries.items()}


def _environ_get(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    """A default stands for one of several values."""
    machine.record("read", "os.environ", node, args=args)
    return Choice([args[1], UNKNOWN]) if len(args) > 1 else UNKNOWN


def _environ_set(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    if args and not isinstance(args[0], Many):
        machine.record("setitem", "os.environ", node, args=args[:1], value=args[-1])
    for key, value in _named(args, kwargs).items():
        machine.record("setitem", "os.environ", node, args=[Const(key)], value=value)
    return UNKNOWN


def _add_argument(
    machine: Machine, owner: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    """parser.add_argument("--num-workers", default=4): remember the default."""
    names = [name for value in args if isinstance(name := constant(value), str)]
    long = next((name for name in names if name.startswith("--")), names[0] if names else "")
    given = constant(kwargs.get("dest"))
    name = given if isinstance(given, str) else long.lstrip("-").replace("-", "_")
    if name and "default" in kwargs:
        machine.arguments[name] = kwargs["default"]
    return None


def _append(
    machine: Machine, owner: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    if isinstance(owner, Many) and len(owner.items) < 200:
        owner.items += args[-1:]
        return Const(None)
    return None


def _update(
    machine: Machine, owner: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    if isinstance(owner, Bound) and owner.name == "__dict__":
        for key, value in _named(args, kwargs).items():
            if isinstance(key, str):
                targets.set_attribute(machine, owner.owner, key, value, node)
        return Const(None)
    if isinstance(owner, Many) and owner.is_dict:
        machine.record("setitem", "?", node, receiver=owner)
        for value in args:
            expressions.merge(owner, value)
        for key, value in kwargs.items():
            machine.store(owner.entries, key, value)
        return Const(None)
    return None


def _get(
    machine: Machine, owner: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    """mapping.get(key, default)."""
    if isinstance(owner, Many) and owner.is_dict and args:
        default = args[1] if len(args) > 1 else Const(None)
        found = owner.entries.get(constant(args[0]))
        if found is not None:
            return found
        return choose([default, UNKNOWN]) if owner.open_ended else default
    return None


def _setdefault(
    machine: Machine, owner: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    if not isinstance(owner, Many) or not owner.is_dict or not args:
        return None
    key, default = constant(args[0]), args[1] if len(args) > 1 else Const(None)
    if key not in owner.entries:
        value = Choice([default, UNKNOWN]) if owner.open_ended else default
        machine.store(owner.entries, key, value)
    return owner.entries[key]


def _pop(
    machine: Machine, owner: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    found = _get(machine, owner, args, kwargs, node)
    if isinstance(owner, Many) and owner.is_dict and args:
        machine.forget(owner.entries, constant(args[0]))
    return found


def _copy(
    machine: Machine, owner: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    if isinstance(owner, Many):
        return Many(owner.node, [*owner.items], {**owner.entries}, owner.is_dict, owner.open_ended)
    return None


def _view(name: str) -> Callable[..., Value | None]:
    def follow(
        machine: Machine, owner: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
    ) -> Value | None:
        """d.keys(), d.values(), d.items(): a view, which cannot be pickled."""
        if isinstance(owner, Many) and owner.is_dict:
            view = Name(f"builtins.dict().{name}")
            return Instance(view, node, [*owner.elements()], owner=owner)
        return None

    return follow


def _vars(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    return Bound(args[0], "__dict__") if args else UNKNOWN


def _type(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    if len(args) == 1 and isinstance(args[0], Instance) and isinstance(args[0].of, Class):
        return args[0].of
    return UNKNOWN if len(args) < 3 else None


def _len(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    for value in args[:1]:
        shipping.ask_length(machine, value, node)
    return None


def _reducer(
    machine: Machine, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    """copyreg.pickle(Kind, function): its objects are pickled by the function."""
    if len(args) > 1 and isinstance(args[0], Class):
        machine.store(args[0].members, "__reduce__", args[1])
    return None


def _iter_method(
    machine: Machine, owner: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    calls.iterate(machine, owner, node)
    return None


def _enter_context(
    machine: Machine, owner: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    """stack.enter_context(x): what `with x as ...` gives."""
    return calls.enter(machine, args[0], node) if args else None


def _of_text(name: str) -> Callable[..., Value | None]:
    def follow(
        machine: Machine, owner: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
    ) -> Value | None:
        """text.endswith(x), text.__eq__(x): as Python finds it, where both texts are known."""
        text, given = constant(owner), constant(args[0]) if len(args) == 1 else ...
        if isinstance(text, str) and isinstance(given, str):
            return Const(getattr(text, name)(given))
        return None

    return follow


FUNCTIONS: dict[str, Callable[..., Value | None]] = {
    **dict.fromkeys(
        (
            "builtins.list",
            "builtins.tuple",
            "builtins.set",
            "builtins.sorted",
            "builtins.frozenset",
            "collections.deque",
        ),
        _consume_to_list,
    ),  # fmt: skip
    **dict.fromkeys(
        (
            "builtins.sorted",
            "builtins.sum",
            "builtins.frozenset",
            "collections.deque",
            "collections.Counter",
        ),
        _consume,
    ),  # fmt: skip
    **dict.fromkeys(BEGIN_AT_ONCE, _wrap),
    "builtins.any": _decided_by(True),
    "builtins.all": _decided_by(False),
    "builtins.len": _len,
    "builtins.next": _next,
    "copyreg.pickle": _reducer,
    "multiprocessing.reduction.ForkingPickler.register": _reducer,
    "builtins.dict": _dict,
    "builtins.setattr": _setattr,
    "builtins.getattr": _getattr,
    "builtins.int": _number,
    "builtins.float": _number,
    "builtins.bool": _bool,
    "builtins.min": _extreme(min),
    "builtins.max": _extreme(max),
    "builtins.super": _super,
    "builtins.type": _type,
    "builtins.vars": _vars,
    "os.environ.get": _environ_get,
    "os.getenv": _environ_get,
    "os.environ.setdefault": _environ_set,
    "os.environ.update": _environ_set,
    "os.putenv": _environ_set,
}
METHODS: dict[str, Callable[..., Value | None]] = {
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
