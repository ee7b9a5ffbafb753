"""Follows calls: into functions and classes of the file, and notes those of foreign ones."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from spawnsafe import known_calls, known_methods, records, shipping
from spawnsafe import machine as machines
from spawnsafe.facts.loading import ITERATOR_WRAPPERS
from spawnsafe.facts.names import EXACT
from spawnsafe.facts.starting import STARTS
from spawnsafe.trace import FREE, WORKER
from spawnsafe.values import (
    UNKNOWN,
    Bound,
    Choice,
    Class,
    Const,
    Function,
    Instance,
    Many,
    Name,
    Scope,
    Value,
    choose,
    options_of,
)

if TYPE_CHECKING:
    from spawnsafe.machine import Machine

Arguments = tuple[list[Value], dict[str, Value], bool]


def evaluate_call(machine: Machine, node: ast.Call, scope: Scope) -> Value:
    callee = machine.evaluate(node.func, scope)
    args, kwargs, open_ended = _arguments(machine, node, scope)
    results = [
        call_value(machine, option, args, kwargs, node, open_ended=open_ended)
        for option in options_of(callee)[:3]
    ]
    return choose(results)


def _arguments(machine: Machine, node: ast.Call, scope: Scope) -> Arguments:
    """The arguments of a call, with those in * and ** as far as they are known."""
    args: list[Value] = []
    kwargs: dict[str, Value] = {}
    open_ended = False
    for part in node.args:
        if isinstance(part, ast.Starred):
            value = machine.evaluate(part.value, scope)
            iterate(machine, value, part)
            args += value.items if isinstance(value, Many) else []
            open_ended = open_ended or not isinstance(value, Many) or value.open_ended
        else:
            args.append(machine.evaluate(part, scope))
    for keyword in node.keywords:
        value = machine.evaluate(keyword.value, scope)
        if keyword.arg is not None:
            kwargs[keyword.arg] = value
        elif isinstance(value, Many):
            kwargs.update({k: v for k, v in value.entries.items() if isinstance(k, str)})
            open_ended = open_ended or value.open_ended
        else:
            open_ended = True
    return args, kwargs, open_ended


def call_value(
    machine: Machine,
    callee: Value,
    args: list[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
    *,
    open_ended: bool = False,
) -> Value:
    """What a call gives, whatever is called."""
    machine.step()
    if isinstance(callee, Name):
        return call_foreign(machine, callee, args, kwargs, node, open_ended=open_ended)
    if isinstance(callee, Function):
        return call_function(machine, callee, args, kwargs, node=node)
    if isinstance(callee, Class):
        return instantiate(machine, callee, args, kwargs, node, open_ended=open_ended)
    if isinstance(callee, Bound):
        return _call_bound(machine, callee, args, kwargs, node, open_ended)
    if isinstance(callee, Instance):
        return _call_instance(machine, callee, args, kwargs, node, open_ended)
    machine.record("call", "?", node, args=args, kwargs=kwargs, receiver=callee)
    return UNKNOWN


def _call_bound(
    machine: Machine,
    callee: Bound,
    args: list[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
    open_ended: bool,
) -> Value:
    if callee.function is not None:
        machine.record("invoke", callee.name, node, receiver=callee.owner, args=args)
        return call_function(
            machine, callee.function, args, kwargs, subject=callee.owner, node=node
        )
    owner = callee.owner
    if callee.name == "super().__init__" and isinstance(owner, Instance):
        kind = owner.of
        bases = kind.foreign_bases() if isinstance(kind, Class) else []
        base = next((name for name in bases if name), "")
        owner.base = Instance(Name(base), node, args, kwargs, open_ended)
        return Const(None)
    if callee.name == "super().__new__" and args and isinstance(args[0], Class):
        return Instance(args[0], node)
    known = known_methods.METHODS.get(callee.name)
    if known is not None:
        result = known(known_methods.Call(machine, args, kwargs, node, owner))
        if result is not None:
            return result
    if isinstance(owner, Instance) and owner.qual:
        context = owner.context
        qual = f"{owner.qual}().{callee.name}"
        name = Name(EXACT.get(qual, qual), context)
    else:
        name = Name(f"?.{callee.name}")
    return call_foreign(machine, name, args, kwargs, node, open_ended=open_ended, receiver=owner)


def _call_instance(
    machine: Machine,
    callee: Instance,
    args: list[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
    open_ended: bool,
) -> Value:
    """A partial, or an object with __call__."""
    if callee.qual == "functools.partial" and callee.args:
        merged = [*callee.args[1:], *args]
        both = {**callee.kwargs, **kwargs}
        return call_value(machine, callee.args[0], merged, both, node, open_ended=open_ended)
    if isinstance(callee.of, Class):
        method = callee.of.lookup("__call__")
        if isinstance(method, Function):
            return call_function(machine, method, args, kwargs, subject=callee, node=node)
    _run_commands(machine, callee, node)
    name = Name(f"{callee.qual}()") if callee.qual else Name("?")
    return call_foreign(machine, name, args, kwargs, node, open_ended=open_ended, receiver=callee)


def _run_commands(machine: Machine, app: Value, node: ast.AST) -> None:
    """An application of click or typer calls one of the functions that were made its commands."""
    for command in machine.commands.get(id(app), []):
        call_function(machine, command, [], {}, node=node)


def call_foreign(
    machine: Machine,
    name: Name,
    args: list[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
    *,
    open_ended: bool = False,
    receiver: Value | None = None,
) -> Value:
    """A call of something that is not in this file: noted, and its result an opaque object."""
    known = known_calls.FUNCTIONS.get(name.qual)
    if known is not None:
        result = known(known_methods.Call(machine, args, kwargs, node))
        if result is not None:
            return result
    instance = Instance(name, node, args, kwargs, open_ended, owner=receiver)
    machine.record(
        "call", name.qual, node, value=instance, receiver=receiver, args=args, kwargs=kwargs
    )
    shipping.look_at_call(machine, instance)
    return instance


def call_function(
    machine: Machine,
    function: Function,
    args: list[Value],
    kwargs: dict[str, Value],
    *,
    node: ast.AST,
    subject: Value | None = None,
) -> Value:
    """Follow a function of this file with these arguments; what it returns."""
    key = id(function.node), machine.phase
    count = machine.counts.get(key, 0)
    if count >= machines.MOST_CALLS or len(machine.frames) > machines.MOST_DEPTH:
        return UNKNOWN
    machine.counts[key] = count + 1
    machine.step()
    scope = Scope("function", function.scope, body=function.node)
    if function.kind == "static":
        subject = None
    elif function.owner is not None and subject is None and not args:
        subject = UNKNOWN
    _bind_arguments(function, ([] if subject is None else [subject]) + args, kwargs, scope)
    frame = machines.Frame(function, subject)
    outermost = not machine.stack and machine.phase != WORKER
    machine.frames.append(frame)
    machine.stack.append(node)
    if isinstance(function.node, ast.Lambda):
        frame.returns.append(machine.evaluate(function.node.body, scope))
    else:
        machine.run(function.node.body, scope)
    machine.stack.pop()
    machine.frames.pop()
    if outermost and machine.phase == FREE:
        machine.stack.clear()
    _run_commands(machine, function, node)
    if frame.yields:
        return Instance(Name("builtins.generator"), node, frame.yields)
    return choose(frame.returns) if frame.returns else Const(None)


def _bind_arguments(
    function: Function, args: list[Value], kwargs: dict[str, Value], scope: Scope
) -> None:
    """Give the parameters their values; a default stands for one of several values."""
    spec = function.node.args
    names = [argument.arg for argument in (*spec.posonlyargs, *spec.args)]
    defaults = dict(zip(reversed(names), reversed(function.defaults), strict=False))
    defaults.update(function.keyword_defaults)
    for name in [*names, *(argument.arg for argument in spec.kwonlyargs)]:
        default = defaults.get(name)
        scope.names[name] = UNKNOWN if default is None else Choice([default, UNKNOWN])
    scope.names.update(zip(names, args, strict=False))
    if spec.vararg:
        rest = args[len(names) :]
        scope.names[spec.vararg.arg] = Many(function.node, rest) if rest else UNKNOWN
    known = set(scope.names)
    scope.names.update({name: value for name, value in kwargs.items() if name in known})
    if spec.kwarg:
        rest_named: dict[object, Value] = {k: v for k, v in kwargs.items() if k not in known}
        scope.names[spec.kwarg.arg] = Many(
            function.node, [], rest_named, is_dict=True, open_ended=not kwargs
        )


def instantiate(
    machine: Machine,
    kind: Class,
    args: list[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
    *,
    open_ended: bool = False,
) -> Value:
    """Make an object of a class of this file."""
    instance = Instance(kind, node, args, kwargs, open_ended)
    new = kind.lookup("__new__")
    if isinstance(new, Function):
        made = call_function(machine, new, args, kwargs, subject=kind, node=node)
        if isinstance(made, Instance) and made.of is kind:
            instance.attrs, instance.stored_at = made.attrs, made.stored_at
    init = kind.lookup("__init__")
    if isinstance(init, Function):
        call_function(machine, init, args, kwargs, subject=instance, node=node)
    else:
        foreign = next((name for name in kind.foreign_bases() if name), "")
        if foreign:
            instance.base = Instance(Name(foreign), node, args, kwargs, open_ended)
        if kind.is_decorated or records.is_named_tuple(kind):
            records.fill_fields(machine, kind, instance, args, kwargs)
    machine.record("make", kind.name, node, value=instance)
    shipping.look_at_call(machine, instance)
    return instance


def iterate(machine: Machine, value: Value, node: ast.AST) -> Value:
    """A loop over a value begins: what the elements are."""
    return choose([_iterate_one(machine, option, node) for option in options_of(value)])


def _iterate_one(machine: Machine, value: Value, node: ast.AST) -> Value:
    if isinstance(value, Many):
        if value.is_dict:
            return choose([Const(key) for key in value.entries])
        return choose(value.items) if value.items else UNKNOWN
    if not isinstance(value, Instance):
        return UNKNOWN
    if value.qual in ITERATOR_WRAPPERS and not isinstance(value.of, Class):
        if value.qual == "builtins.generator":
            return choose(value.args)  # It was followed where it stands.
        begun = value.qual in known_calls.BEGIN_AT_ONCE
        elements = [_element(machine, inner, node, begun) for inner in value.args]
        if value.qual in ("builtins.map", "builtins.filter"):
            return call_value(machine, value.args[0], elements[1:], {}, node)
        return UNKNOWN
    table = value.owner
    if value.qual.startswith("builtins.dict().") and isinstance(table, Many):
        return _element_of_view(value, table, node)
    machine.record("iterate", value.qual, node, value=value, receiver=value)
    shipping.look_at_iteration(machine, value, node)
    if isinstance(value.of, Class):
        for name, arguments in (("__iter__", []), ("__getitem__", [UNKNOWN])):
            method = value.of.lookup(name)
            if isinstance(method, Function):
                call_function(machine, method, arguments, {}, subject=value, node=node)
                break
    elif shipping.is_loader(value) and shipping.workers_of(value)[0] == "none":
        # Samples are read in this process.
        for data in options_of(value.argument("dataset", 0)):
            if isinstance(data, Instance) and isinstance(data.of, Class):
                _iterate_one(machine, data, node)
    return UNKNOWN


def _element_of_view(view: Instance, table: Many, node: ast.AST) -> Value:
    """An element of d.keys(), d.values(), d.items()."""
    key = choose([Const(key) for key in table.entries])
    element = choose(table.elements())
    if view.qual.endswith("items"):
        return Many(node, [key, element])
    return element if view.qual.endswith("values") else key


def _element(machine: Machine, value: Value, node: ast.AST, begun: bool) -> Value:
    """An element of what an iterator wraps; a loop over it may have begun when that was made."""
    options = [o for o in options_of(value) if isinstance(o, Many) or not begun]
    return choose([_iterate_one(machine, option, node) for option in options])


def enter(machine: Machine, value: Value, node: ast.AST) -> Value:
    """`with value as ...`: most objects give themselves; those of this file are asked."""
    if isinstance(value, Instance) and isinstance(value.of, Class):
        method = value.of.lookup("__enter__")
        if isinstance(method, Function):
            return call_function(machine, method, [], {}, subject=value, node=node)
    if isinstance(value, Instance) and value.qual == "builtins.generator":
        return choose(value.args)  # A function under @contextmanager gives what it yields.
    if isinstance(value, Instance):
        value.attrs["<entered>"] = Const(True)
        begins = Name(f"{value.qual}().__enter__", value.context)
        if begins.qual in STARTS:
            call_foreign(machine, begins, [], {}, node, receiver=value)
    return value
