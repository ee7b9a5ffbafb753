"""Options of loaders, data sets that ignore their workers, and queues."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from spawnsafe import shipping
from spawnsafe.facts.loading import GENERATORS, ITERABLE_DATASETS, SAMPLE_METHODS, WORKER_INFO
from spawnsafe.module import Finding, Module, Rule, is_loader, line_of
from spawnsafe.trace import WORKER, Event
from spawnsafe.values import (
    Class,
    Const,
    Function,
    Instance,
    Many,
    Value,
    constant,
    options_of,
    parts,
)

GENERATOR_CURE = (
    "Make it in the worker, from torch.utils.data.get_worker_info().seed, or draw from torch's"
    " global generator, which is seeded for each worker."
)
NEED_WORKERS = ("prefetch_factor", "persistent_workers", "multiprocessing_context", "timeout")


def _loaders(module: Module) -> Iterator[tuple[Event, Instance]]:
    for event in module.trace.events:
        made = event.kind in ("call", "make")
        if made and isinstance(event.value, Instance) and is_loader(event.value):
            yield event, event.value


def options_without_workers(module: Module) -> Iterator[Finding]:
    for event, loader in _loaders(module):
        if loader.call.open_ended or any("ValueError" in name for name in event.handled):
            continue
        state, _ = shipping.workers_of(loader)
        for name in NEED_WORKERS:
            value = shipping.loader_argument(loader, name)
            if state == "none" and _asks_for(name, value):
                yield Finding(
                    event.node,
                    f"{name} needs workers, and this loader has none: an error",
                    f"Pass {name} only with workers, as in {name}=VALUE if num_workers else"
                    f" {'False' if name == 'persistent_workers' else '0' if name == 'timeout' else 'None'}.",
                )
            elif state == "some" and name == "prefetch_factor" and constant(value) == 0:
                yield Finding(
                    event.node, "prefetch_factor=0 is refused", "Use 1 or more, or leave it out."
                )


def _asks_for(name: str, value: Value | None) -> bool:
    if value is None:
        return False
    given = constant(value)
    if name == "prefetch_factor":
        return given is not None and given is not ...
    if name == "multiprocessing_context":
        return isinstance(given, str) or (
            isinstance(value, Instance) and value.qual == "multiprocessing.get_context"
        )
    return given is not ... and bool(given)


def stale_epoch(module: Module) -> Iterator[Finding]:
    """The data set is changed after persistent workers have got their copy."""
    for sequence in module.sequences:
        persistent: list[tuple[Instance, Instance]] = []
        iterated: set[int] = set()
        for event in sequence:
            if isinstance(event.value, Instance) and is_loader(event.value):
                loader = event.value
                if event.kind == "iterate":
                    iterated.add(id(loader))
                elif event.kind in ("call", "make") and _is_persistent(loader):
                    persistent += [(loader, data) for data in _datasets(loader)]
            for loader, data in persistent:
                late = event.loops > 0 or id(loader) in iterated
                name = _changes(event, data) if late and event.receiver is data else ""
                if name:
                    yield Finding(
                        event.node,
                        f"{name} does not reach the persistent workers, which have their own copy"
                        f" of the data set (loader in line {line_of(loader.node)})",
                        "Keep the value in shared memory, such as"
                        " torch.zeros(1).share_memory_(), or use persistent_workers=False.",
                    )


def _is_persistent(loader: Instance) -> bool:
    asked = constant(loader.call.kwargs.get("persistent_workers")) is True
    return asked and shipping.workers_of(loader)[0] in ("some", "unknown")


def _datasets(loader: Instance) -> list[Instance]:
    data = shipping.loader_argument(loader, "dataset")
    found = parts(data, 3) if data is not None else ()
    return [part for part in found if isinstance(part, Instance) and isinstance(part.of, Class)]


def _changes(event: Event, data: Instance) -> str:
    """What of the data set a step changes that loading a sample reads; "" for nothing."""
    kind = data.of
    if not isinstance(kind, Class):
        return ""
    if event.kind == "setattr" and (event.function is None or event.function.owner is not kind):
        return f"the new value of .{event.what}" if _reads(kind, event.what) else ""
    if event.kind == "invoke" and not event.what.startswith("__"):
        method = kind.lookup(event.what)
        if isinstance(method, Function):
            for name in _plainly_set(method):
                if _reads(kind, name):
                    return f"what {event.what}() sets"
    return ""


def _plainly_set(method: Function) -> Iterator[str]:
    """Attributes of self that a method gives a new object."""
    for node in ast.walk(method.node):
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Store):
            continue
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            yield node.attr


def _reads(kind: Class, name: str) -> bool:
    """Whether the methods that load a sample, or those that they may call, read an attribute."""
    for method in _sample_code(kind):
        for node in ast.walk(method.node):
            if not isinstance(node, ast.Attribute) or node.attr != name:
                continue
            if isinstance(node.ctx, ast.Load):
                return True
    return False


def _sample_code(kind: Class) -> list[Function]:
    """The methods that load a sample, and the methods of the class that they call."""
    found: dict[int, Function] = {}
    waiting = [
        m
        for m in map(kind.lookup, (*SAMPLE_METHODS, "__call__", "forward"))
        if isinstance(m, Function)
    ]
    while waiting:
        method = waiting.pop()
        if id(method) in found:
            continue
        found[id(method)] = method
        for node in ast.walk(method.node):
            if isinstance(node, ast.Attribute):
                other = kind.lookup(node.attr)
                if isinstance(other, Function) and other.name != "__init__":
                    waiting.append(other)
    return list(found.values())


def not_sharded(module: Module) -> Iterator[Finding]:
    """An iterable data set that yields everything in each worker."""
    for data, count, where in _datasets_of_workers(module):
        kind = data.of
        if not isinstance(kind, Class) or count == 1 or not _is_iterable(kind):
            continue
        method = kind.lookup("__iter__")
        if not isinstance(method, Function) or _knows_workers(kind):
            continue
        if _yields_all(method, data):
            yield Finding(
                method.node,
                f"{kind.name}.__iter__ does not ask for its share: each worker yields all"
                f" samples{where}",
                "Split by torch.utils.data.get_worker_info(): id and num_workers.",
            )


def _datasets_of_workers(module: Module) -> Iterator[tuple[Instance, int, str]]:
    """Data sets that workers get, with their number (0 if unknown), and those of unknown use."""
    for event, loader in _loaders(module):
        state, count = shipping.workers_of(loader)
        own_set_up = shipping.loader_argument(loader, "worker_init_fn") is not None
        if state in ("some", "unknown") and not own_set_up:
            for data in _datasets(loader):
                yield data, count, f" (loader in line {line_of(event.node)})"
    for _, data, used in module.trace.samples:
        if not used:
            yield data, 0, ""


def _is_iterable(kind: Class) -> bool:
    return any(base in ITERABLE_DATASETS for base in kind.foreign_bases())


def _knows_workers(kind: Class) -> bool:
    """Whether the class has anything to do with worker ids, ranks or shards."""
    words = (*WORKER_INFO, "rank", "shard", "worker_id", "world_size", "num_replicas", "worker")
    for base in kind.line():
        for node in ast.walk(base.node):
            name = getattr(node, "id", "") or getattr(node, "attr", "") or getattr(node, "arg", "")
            if isinstance(name, str) and any(word in name for word in words):
                return True
    return False


def _yields_all(method: Function, data: Instance) -> bool:
    """Whether the loop is over something that is the same, and whole, in each worker."""
    sources: list[ast.expr] = []
    for node in ast.walk(method.node):
        if isinstance(node, ast.For):
            if isinstance(node.target, ast.Name) and node.target.id.startswith("_"):
                return False  # A count of samples that are made up.
            sources.append(node.iter)
        elif isinstance(node, ast.YieldFrom):
            sources.append(node.value)
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Call):
            call = node.value
            if isinstance(call.func, ast.Name) and call.func.id in ("iter", "map"):
                sources += call.args[-1:]
                call = call.args[0] if call.args and isinstance(call.args[0], ast.Call) else call
            helper = _own_method(call, data)
            if helper is not None and helper is not method:
                return _yields_all(helper, data)
        elif isinstance(node, ast.While):
            return False
    opened = {
        item.optional_vars.id: item.context_expr
        for node in ast.walk(method.node)
        if isinstance(node, ast.With)
        for item in node.items
        if isinstance(item.optional_vars, ast.Name)
    }
    first = sources[0] if sources else None
    if _goes_on_into_elements(method.node):
        return False  # What the elements are may know its share.
    if isinstance(first, ast.Name):
        first = opened.get(first.id)
    return first is not None and _is_whole(first, data)


def _goes_on_into_elements(function: ast.AST) -> bool:
    """`for data in self.parts: for sample in data`, or `yield from data`."""
    for loop in ast.walk(function):
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name):
            inner = [n for part in loop.body for n in ast.walk(part)]
            sources = [n.iter for n in inner if isinstance(n, ast.For)]
            sources += [n.value for n in inner if isinstance(n, ast.YieldFrom)]
            if any(isinstance(s, ast.Name) and s.id == loop.target.id for s in sources):
                return True
    return False


def _own_method(call: ast.Call, data: Instance) -> Function | None:
    """The method that `self.name()` calls."""
    if not isinstance(call.func, ast.Attribute) or not isinstance(data.of, Class):
        return None
    owner, method = call.func.value, data.of.lookup(call.func.attr)
    of_self = isinstance(owner, ast.Name) and owner.id == "self"
    return method if of_self and isinstance(method, Function) else None


def _is_whole(node: ast.expr, data: Instance) -> bool:
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name):
            if node.func.id in ("range", "open"):
                return True
            if node.func.id in ("enumerate", "sorted", "zip", "iter", "list", "map", "tqdm"):
                return any(_is_whole(argument, data) for argument in node.args)
        return isinstance(node.func, ast.Attribute) and node.func.attr in ("glob", "iterdir")
    if isinstance(node, (ast.List, ast.Tuple)):
        return True
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        held = data.attrs.get(node.attr)
        return any(
            isinstance(option, Many) or (isinstance(option, Instance) and _is_table(option))
            for option in options_of(held)
        )
    return False


def _is_table(value: Instance) -> bool:
    if isinstance(value.of, Class):
        return False
    first = value.qual.split(".")[0]
    return value.qual in ("builtins.range", "builtins.sorted", "builtins.list", "glob.glob") or (
        first in ("numpy", "torch", "pandas") and isinstance(value.owner, (type(None), Const))
    )


def copied_generator(module: Module) -> Iterator[Finding]:
    """A generator on the data set: each worker gets a copy in the same state."""
    for data, count, where in _datasets_of_workers(module):
        kind = data.of
        if not isinstance(kind, Class) or count == 1 or _knows_workers(kind):
            continue
        for holder, name, value in _generators(data):
            if isinstance(holder.of, Class) and _reads(holder.of, name):
                yield Finding(
                    holder.stored_at.get(name, value.node),
                    f"self.{name} is {GENERATORS[value.qual]} made once: each worker draws the same"
                    f" numbers from its copy{where}",
                    GENERATOR_CURE,
                )


def _generators(data: Instance) -> Iterator[tuple[Instance, str, Instance]]:
    """Generators that a data set, or a transform that it holds, keeps as an attribute."""
    inner = [o for value in data.attrs.values() for o in options_of(value)]
    for holder in [data, *(o for o in inner if isinstance(o, Instance))]:
        if holder is data or isinstance(holder.of, Class):
            for name, value in holder.attrs.items():
                if isinstance(value, Instance) and value.qual in GENERATORS:
                    yield holder, name, value


def global_generator(module: Module) -> Iterator[Finding]:
    """A seeded generator of the module: each worker makes it again, in the same state."""
    for event in module.trace.during(WORKER):
        errand, value = event.worker, event.value
        if event.kind != "read" or errand is None or errand.role != "data set":
            continue
        loader, owner = errand.loader, event.function.owner if event.function else None
        if loader is None or shipping.loader_argument(loader, "worker_init_fn") is not None:
            continue
        if errand.sibling_count == 1 or owner is None or _knows_workers(owner):
            continue
        if isinstance(value, Instance) and value.qual in GENERATORS and value.args:
            yield Finding(
                value.node,
                f"{event.what} is {GENERATORS[value.qual]} with a seed: each worker makes it again,"
                f" and draws the same numbers (loader in line {line_of(loader.node)})",
                GENERATOR_CURE,
            )


def generators(module: Module) -> Iterator[Finding]:
    yield from copied_generator(module)
    yield from global_generator(module)


RULES = [
    Rule("SPS701", "options-without-workers", "error", ("RUN-2",), options_without_workers),
    Rule("SPS702", "stale-persistent-workers", "error", ("RUN-3",), stale_epoch),
    Rule("SPS703", "iterable-not-sharded", "error", ("RUN-5",), not_sharded),
    Rule("SPS704", "generator-copied", "warning", ("RUN-4",), generators),
]
