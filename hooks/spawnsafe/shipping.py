"""What is sent to worker processes, and what they will run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from spawnsafe import calls, pickling
from spawnsafe.attributes import context_of
from spawnsafe.facts.loading import (
    CPU_COUNTERS,
    DATASETS,
    LOADER_ARGUMENTS,
    LOADERS,
    POSITIONAL_LOADERS,
    SAMPLE_METHODS,
)
from spawnsafe.facts.starting import CALLS_BACK, EXECUTOR_TASKS, LOOPS_OVER, POOL_TASKS
from spawnsafe.trace import FREE, Errand, Shipment
from spawnsafe.values import (
    Bound,
    Choice,
    Class,
    Const,
    Function,
    Instance,
    Joined,
    Name,
    Value,
    constant,
    options_of,
    parts,
)

if TYPE_CHECKING:
    from spawnsafe.machine import Machine

POSITIONS = {name: number for number, name in enumerate(LOADER_ARGUMENTS)}
SHIPPED = "<shipped>"
POOL_SENDS = ("func", "iterable", "args", "kwds")


def is_loader(instance: Instance) -> bool:
    return instance.qual in LOADERS


def loader_argument(loader: Instance, name: str) -> Value | None:
    """An argument of a loader; the first one is the data set everywhere."""
    known = loader.qual in POSITIONAL_LOADERS or name == "dataset"
    return loader.argument(name, POSITIONS.get(name) if known else None)


def workers_of(loader: Instance) -> tuple[str, int]:
    """How many workers a loader has: none, some, maybe (0 is among the possible numbers), unknown.

    The second is the number, if it is known.
    """
    value = loader_argument(loader, "num_workers")
    if value is None:
        return ("unknown" if loader.call.open_ended else "none"), 0
    numbers = [_count(option) for option in options_of(value)]
    known = [number for number in numbers if number is not None]
    if not known:
        return "unknown", 0
    if 0 in known:
        return ("none" if known == [0] and len(numbers) == 1 else "maybe"), 0
    if len(known) < len(numbers) and not isinstance(value, Choice):
        return "unknown", 0
    return "some", max(known) if max(known) < 1_000_000 else 0


def _count(value: Value) -> int | None:
    """A number of workers; a million for as many as there are processors; None if unknown."""
    number = constant(value)
    if number is None or isinstance(number, (bool, int, float)):
        return int(number or 0)
    if isinstance(value, Instance) and value.qual in CPU_COUNTERS | {"builtins.len"}:
        inside = [part for part in parts(value) if isinstance(part, Instance)]
        return 1_000_000 if any(part.qual in CPU_COUNTERS for part in inside) else None
    if isinstance(value, (Joined, Choice)):
        counts = [_count(p) for p in (value.parts if isinstance(value, Joined) else value.options)]
        sure = all(count for count in counts)
        return 1_000_000 if counts and sure else None
    return None


def method_of(machine: Machine, context: Value | None) -> str:
    """The start method that a context argument stands for; "" for the default."""
    for option in options_of(context):
        name = constant(option)
        if isinstance(name, str):
            return name
        if isinstance(option, Instance) and option.qual == "multiprocessing.get_context":
            found = context_of(option)
            return machine.method if found == "default" else found
        if isinstance(option, Instance):
            return "?"
    return machine.method


# --- Looking at calls as they are followed ---------------------------------------------------


def look_at_call(machine: Machine, made: Instance) -> None:
    """Note loaders, and what is handed to pools, executors and processes."""
    qual = made.qual
    if is_loader(made):
        machine.trace.loaders.append(made)
        if constant(loader_argument(made, "shuffle")) is True:
            ask_length(machine, made, made.node)  # A random sampler does, as it is made.
        _note_classes(machine, made)
        return
    if isinstance(made.of, Class):
        return
    _look_inside(machine, made)
    first, _, method = qual.rpartition("().")
    if qual == "multiprocessing.set_start_method":
        name = constant(made.argument("method", 0))
        machine.method = name if isinstance(name, str) else "?"
    elif first == "multiprocessing.Process" and method == "start":
        _ship_process(machine, made)
    elif first == "multiprocessing.Pool" and method in POOL_TASKS:
        _ship_task(machine, made, daemonic=True)
    elif first == "concurrent.futures.ProcessPoolExecutor" and method in EXECUTOR_TASKS:
        _ship_task(machine, made, daemonic=False)
    elif qual in ("multiprocessing.Pool", "concurrent.futures.ProcessPoolExecutor"):
        position = 1 if qual == "multiprocessing.Pool" else 2
        for option in options_of(made.argument("initializer", position)):
            _ship(machine, "initializer", option, made.node, made.context, daemonic=True)
        _send(machine, "argument", made.argument("initargs", position + 1), made.node, made.context)
    elif qual in ("torch.multiprocessing.spawn", "torch.multiprocessing.start_processes"):
        daemonic = constant(made.argument("daemon", 4)) is True
        named = constant(made.argument("start_method", 5))
        context = named if isinstance(named, str) else "spawn"
        for option in options_of(made.argument("fn", 0)):
            _ship(machine, "target", option, made.node, context, daemonic=daemonic)
        _send(machine, "argument", made.argument("args", 1), made.node, context)


def _look_inside(machine: Machine, made: Instance) -> None:
    """Follow what a foreign call does with its arguments: loops over loaders, calls functions."""
    for given in _argument_of(made, *LOOPS_OVER.get(made.qual, ("", None))):
        calls.iterate(machine, given, made.node)
    for given in _argument_of(made, *CALLS_BACK.get(made.qual, ("", None))):
        if isinstance(given, (Function, Bound, Name)) and machine.phase != FREE:
            calls.call_value(machine, given, [], {}, made.node)


def _argument_of(made: Instance, name: str, position: int | None) -> list[Value]:
    """What an argument of a call, or of the call that made its object, may be."""
    given = made.argument(name, position) if name else None
    if name and given is None and isinstance(made.owner, Instance):
        given = made.owner.argument(name, position)
    return options_of(given)


def _note_classes(machine: Machine, loader: Instance) -> None:
    """Remember which classes of this file go to workers, and which only to loaders without."""
    data = loader_argument(loader, "dataset")
    idle = workers_of(loader)[0] in ("none", "maybe") or _method(machine, loader) == "fork"
    for part in parts(data) if data is not None else ():
        if isinstance(part, Instance) and isinstance(part.of, Class):
            for kind in part.of.line():
                (machine.idle if idle else machine.busy).add(id(kind.node))


def _method(machine: Machine, loader: Instance) -> str:
    return method_of(machine, loader_argument(loader, "multiprocessing_context"))


def look_at_iteration(machine: Machine, value: Instance, node: ast.AST) -> None:
    """A loader with workers starts them, and sends them what they need.

    As it goes on, it asks for the length, which may leave something behind for the next epoch.
    """
    if not is_loader(value):
        return
    again = SHIPPED in value.attrs
    persistent = constant(value.call.kwargs.get("persistent_workers")) is True
    if not again:
        value.attrs[SHIPPED] = Const(True)
        ship_loader(machine, value)
    if not ask_length(machine, value, node):
        return
    if (again or machine.loops) and not persistent:
        ship_loader(machine, value)
    elif workers_of(value)[0] == "some" and _method(machine, value) != "fork":
        _note_left_behind(machine, value)


def _note_left_behind(machine: Machine, loader: Instance) -> None:
    """What len() has opened in this process: this epoch goes well, another one would not."""
    data = loader_argument(loader, "dataset")
    known = {id(p.node) for shipment in machine.trace.shipments for p in shipment.problems}
    found = pickling.problems(machine, data) if data is not None else []
    late = [
        replace(p, kind="late") for p in found if p.kind == "handle" and id(p.node) not in known
    ]
    if late and data is not None:
        machine.trace.shipments.append(Shipment("data set", data, loader.node, late, True))


def ask_length(machine: Machine, value: Value, node: ast.AST) -> bool:
    """Follow len(value), for a loader that of its data set; whether this file defines it."""
    found = False
    for option in options_of(value):
        if not isinstance(option, Instance):
            continue
        method = option.of.lookup("__len__") if isinstance(option.of, Class) else None
        if isinstance(method, Function):
            calls.call_function(machine, method, [], {}, subject=option, node=node)
            found = True
        elif is_loader(option):
            data = loader_argument(option, "dataset")
            found = (data is not None and ask_length(machine, data, node)) or found
    return found


def ship_the_rest(machine: Machine) -> None:
    """Loaders that were made, and that nothing in this file iterates."""
    for loader in machine.trace.loaders:
        if SHIPPED not in loader.attrs:
            loader.attrs[SHIPPED] = Const(True)
            ship_loader(machine, loader)


def ship_loader(machine: Machine, loader: Instance) -> None:
    state, count = workers_of(loader)
    method = _method(machine, loader)
    # Behind `**options` that nothing is known about, there may be no workers at all.
    named = loader_argument(loader, "num_workers") is not None
    if state in ("none", "maybe") or not named:
        return
    for role, name in (
        ("data set", "dataset"),
        ("collate_fn", "collate_fn"),
        ("worker_init_fn", "worker_init_fn"),
    ):
        value = loader_argument(loader, name)
        if value is None:
            continue
        found = pickling.problems(machine, value)
        if method == "fork":
            # Nothing is pickled; but what is open is open in all workers, at one position.
            found = [replace(p, kind="shared") for p in found if p.kind == "handle"]
        machine.trace.shipments.append(Shipment(role, value, loader.node, found, state == "some"))
        for part in _with_inner_datasets(value) if role == "data set" else options_of(value):
            errand = Errand(role, part, loader.node, True, count, loader)
            machine.trace.errands.append(errand)


def _with_inner_datasets(value: Value) -> Iterator[Value]:
    for part in parts(value, 3):
        if isinstance(part, Instance) and isinstance(part.of, Class):
            yield part


def _send(machine: Machine, role: str, value: Value | None, node: ast.AST, method: str) -> None:
    """Something that goes to a process as it starts; a forked one gets it without pickling."""
    if (method or machine.method) != "fork":
        for option in options_of(value):
            found = pickling.problems(machine, option)
            machine.trace.shipments.append(Shipment(role, option, node, found, True))


def _ship(
    machine: Machine, role: str, value: Value, node: ast.AST, method: str, *, daemonic: bool
) -> None:
    """Something that goes to a process, and that the process will run."""
    _send(machine, role, value, node, method)
    machine.trace.errands.append(Errand(role, value, node, daemonic))


def _ship_process(machine: Machine, call: Instance) -> None:
    process = call.owner
    if not isinstance(process, Instance):
        return
    method = process.context
    if isinstance(process.of, Class):
        _ship(machine, "process", process, process.node, method, daemonic=False)
        return
    daemonic = constant(process.argument("daemon")) is True
    daemonic = daemonic or constant(process.attrs.get("daemon")) is True
    for option in options_of(process.argument("target", 1)):
        _ship(machine, "target", option, process.node, method, daemonic=daemonic)
    for name, position in (("args", 3), ("kwargs", 4)):
        _send(machine, "argument", process.argument(name, position), process.node, method)


def _ship_task(machine: Machine, call: Instance, *, daemonic: bool) -> None:
    """Tasks are pickled whatever the start method is."""
    trace = machine.trace
    loops = not call.qual.endswith(("submit", "apply", "apply_async"))
    given = [*call.args, *call.kwargs.values()]
    if daemonic:  # The callbacks of a Pool stay here.
        given = [*call.args[:3], *(call.kwargs[name] for name in POOL_SENDS if name in call.kwargs)]
    for position, value in enumerate(given):
        if position > 0 and loops and isinstance(value, Instance) and isinstance(value.of, Name):
            continue  # An iterable is used up here; its elements travel.
        role = "task" if position == 0 else "argument"
        found = pickling.problems(machine, value) + pickling.inherited_only(value)
        trace.shipments.append(Shipment(role, value, call.node, found, True))
    for option in options_of(call.args[0] if call.args else None):
        trace.errands.append(Errand("task", option, call.node, daemonic))


# --- What workers run ------------------------------------------------------------------------


def entries_of(errand: Errand) -> Iterator[tuple[Function, Value | None]]:
    """The functions that a worker calls, each with its object."""
    for option in options_of(errand.value):
        if isinstance(option, Function):
            yield option, None
        elif isinstance(option, Bound) and option.function is not None:
            yield option.function, option.owner
        elif isinstance(option, Instance) and isinstance(option.of, Class):
            wanted = {"data set": SAMPLE_METHODS, "process": ("run",)}.get(
                errand.role, ("__call__",)
            )
            for name in wanted:
                method = option.of.lookup(name)
                if isinstance(method, Function):
                    yield method, option
        elif isinstance(option, Instance) and option.qual == "functools.partial" and option.args:
            inner = Errand(errand.role, option.args[0], errand.node)
            yield from entries_of(inner)


def is_dataset(kind: Class) -> bool:
    return any(base in DATASETS for base in kind.foreign_bases())


def look_at_class(machine: Machine, kind: Class, instance: Instance) -> None:
    """A data set that nothing in this file hands to a loader: any loader may get it."""
    if machine.phase != FREE or not is_dataset(kind):
        return
    used = id(kind.node) in machine.busy
    if not used and id(kind.node) in machine.idle:
        return
    machine.trace.samples.append((kind, instance, used))
    if not used:
        found = [p for p in pickling.problems(machine, instance) if p.kind != "hidden"]
        machine.trace.shipments.append(Shipment("data set", instance, kind.node, found, False))
        machine.trace.errands.append(Errand("data set", instance, kind.node))
