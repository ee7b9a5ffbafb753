"""The few foreign functions whose result can be known: of Python itself, and wrappers of iterators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from spawnsafe import attributes, calls, operators, shipping, targets
from spawnsafe.known_methods import Call, Follow, named
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
    pass

BEGIN_AT_ONCE = (
    "builtins.iter", "builtins.enumerate", "builtins.zip", "builtins.map", "builtins.filter",
    "itertools.islice", "itertools.cycle",
)  # fmt: skip
"""Wrappers that ask for the iterator when they are made, not when a loop over them begins."""


def _consume(call: Call) -> Value | None:
    """list(x), sum(x): iterates, and gives what is not followed."""
    for value in call.args:
        calls.iterate(call.machine, value, call.node)
    return None


def _decided_by(decides: bool) -> Follow:
    def follow(call: Call) -> Value | None:
        """any(x), all(x): one element may decide, whatever the others are."""
        for value in call.args:
            calls.iterate(call.machine, value, call.node)
        given = call.args[0] if call.args else None
        if not isinstance(given, Many) or given.open_ended or given.is_dict:
            return None
        verdicts = [truth(item) for item in given.items]
        if decides in verdicts:
            return Const(decides)
        return None if None in verdicts else Const(not decides)

    return follow


def _consume_to_list(call: Call) -> Value | None:
    if not call.args:
        return Many(call.node)
    value = call.args[0]
    if isinstance(value, Many) and not value.is_dict:
        return Many(call.node, list(value.items), open_ended=value.open_ended)
    element = calls.iterate(call.machine, value, call.node)
    return Many(call.node, [element], open_ended=True)


def _next(call: Call) -> Value | None:
    for value in call.args[:1]:
        calls.iterate(call.machine, value, call.node)
    return UNKNOWN


def _wrap(call: Call) -> Value | None:
    """iter(x), enumerate(x): asks for the iterator at once, and gives one that wraps it."""
    for value in call.args:
        if not isinstance(value, Many):
            calls.iterate(call.machine, value, call.node)
    return None


def _dict(call: Call) -> Value | None:
    many = Many(call.node, is_dict=True)
    for value in call.args:
        operators.merge(many, value)
    many.entries.update(call.kwargs)
    return many


def _setattr(call: Call) -> Value | None:
    if len(call.args) == 3:
        name = constant(call.args[1])
        known = name if isinstance(name, str) else targets.SOME_KEY
        targets.set_attribute(call.machine, call.args[0], known, call.args[2], call.node)
    return Const(None)


def _getattr(call: Call) -> Value | None:
    name = constant(call.args[1]) if len(call.args) > 1 else ...
    if not isinstance(name, str):
        return UNKNOWN
    value = attributes.get(call.machine, call.args[0], name)
    return choose([value, call.args[2]]) if len(call.args) == 3 else value


def _number(call: Call) -> Value | None:
    """int(x), float(x): the number, if it is known."""
    results: list[Value] = []
    for option in options_of(call.args[0] if call.args else Const(0)):
        try:
            number = constant(option)
            results.append(Const(int(number)) if isinstance(number, (str, int, float)) else option)
        except ValueError:
            return UNKNOWN
    return choose(results)


def _bool(call: Call) -> Value | None:
    verdict = truth(call.args[0]) if call.args else False
    return UNKNOWN if verdict is None else Const(verdict)


def _extreme(pick: Callable[[list[float]], float]) -> Follow:
    def follow(call: Call) -> Value | None:
        """min(a, b), max(a, b): a number, if all are known."""
        values = call.args
        if len(call.args) == 1:
            calls.iterate(call.machine, call.args[0], call.node)
            values = call.args[0].elements() if isinstance(call.args[0], Many) else []
        numbers = [constant(value) for value in values]
        known = [number for number in numbers if isinstance(number, (int, float))]
        if known and len(known) == len(numbers):
            return Const(pick(known))
        if pick is max and any(number > 0 for number in known):
            return Joined([Const(pick(known))])
        return Joined(values) if values else UNKNOWN

    return follow


def _super(call: Call) -> Value | None:
    frame = next((f for f in reversed(call.machine.frames) if f.subject is not None), None)
    if frame is None or frame.function is None or frame.function.owner is None:
        return UNKNOWN
    return Instance(Name("builtins.super"), call.node, [frame.function.owner], owner=frame.subject)


def _environ_get(call: Call) -> Value | None:
    """A default stands for one of several values."""
    call.machine.record("read", "os.environ", call.node, args=call.args)
    return Choice([call.args[1], UNKNOWN]) if len(call.args) > 1 else UNKNOWN


def _environ_set(call: Call) -> Value | None:
    if call.args and not isinstance(call.args[0], Many):
        call.machine.record(
            "setitem", "os.environ", call.node, args=call.args[:1], value=call.args[-1]
        )
    for key, value in named(call.args, call.kwargs).items():
        call.machine.record("setitem", "os.environ", call.node, args=[Const(key)], value=value)
    return UNKNOWN


def _vars(call: Call) -> Value | None:
    return Bound(call.args[0], "__dict__") if call.args else UNKNOWN


def _type(call: Call) -> Value | None:
    if (
        len(call.args) == 1
        and isinstance(call.args[0], Instance)
        and isinstance(call.args[0].of, Class)
    ):
        return call.args[0].of
    return UNKNOWN if len(call.args) < 3 else None


def _len(call: Call) -> Value | None:
    for value in call.args[:1]:
        shipping.ask_length(call.machine, value, call.node)
    return None


def _reducer(call: Call) -> Value | None:
    """copyreg.pickle(Kind, function): its objects are pickled by the function."""
    if len(call.args) > 1 and isinstance(call.args[0], Class):
        call.machine.store(call.args[0].members, "__reduce__", call.args[1])
    return None


FUNCTIONS: dict[str, Follow] = {
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
