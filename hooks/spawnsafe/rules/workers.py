"""How many workers there are, what they do, and what they leave behind."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from spawnsafe import shipping
from spawnsafe.facts.unpicklable import HANDLES
from spawnsafe.module import Finding, Module, Rule, is_loader, line_of, starts_processes
from spawnsafe.trace import WORKER, Event
from spawnsafe.values import Class, Function, Instance, Many, Value, constant

MOST_ON_WINDOWS = 60


def too_many(module: Module) -> Iterator[Finding]:
    for event in module.trace.events:
        value = event.value
        if event.kind != "call" or not isinstance(value, Instance):
            continue
        number: object = ...
        if event.what == "multiprocessing.Pool":
            number = constant(value.argument("processes", 0))
        elif event.what == "concurrent.futures.ProcessPoolExecutor":
            number = constant(value.argument("max_workers", 0))
        elif is_loader(value):
            number = constant(shipping.loader_argument(value, "num_workers"))
        if isinstance(number, int) and number > MOST_ON_WINDOWS:
            yield Finding(
                event.node,
                f"{number} worker processes: Windows can wait for about {MOST_ON_WINDOWS} at most",
                f"Use min({MOST_ON_WINDOWS}, ...).",
            )


def join_before_get(module: Module) -> Iterator[Finding]:
    """A child that has put something big does not end before it is read."""
    for sequence in module.sequences:
        joined: dict[int, tuple[Event, Instance]] = {}
        read: set[int] = set()
        for event in sequence:
            if event.kind != "call" or not isinstance(event.receiver, Instance):
                continue
            owner, method = event.receiver, event.what.rpartition(".")[2]
            if owner.qual == "multiprocessing.Process" and method == "join" and not event.args:
                for queue in _queues(owner):
                    if id(queue) not in read and not event.kwargs:
                        joined.setdefault(id(queue), (event, queue))
            elif owner.qual in ("multiprocessing.Queue", "multiprocessing.JoinableQueue"):
                if method == "get" and id(owner) in joined:
                    first = joined.pop(id(owner))[0]
                    yield Finding(
                        first.node,
                        "join() before get() in line"
                        f" {line_of(event.node)}: the process cannot end while its data waits in"
                        " the queue",
                        "Read from the queue first, then join.",
                    )
                if method in ("get", "get_nowait"):
                    read.add(id(owner))


def _queues(process: Instance) -> list[Instance]:
    """The queues that a process was given and writes to, as far as its function is known."""
    given = process.argument("args", 3)
    items = given.items if isinstance(given, Many) else []
    named = process.argument("kwargs", 4)
    by_name = dict(named.entries) if isinstance(named, Many) else {}
    target = process.argument("target", 1)
    found = []
    for number, value in enumerate(items):
        if isinstance(value, Instance) and _puts(target, number):
            found.append(value)
    for name, value in by_name.items():
        if isinstance(value, Instance) and _puts(target, name):
            found.append(value)
    return found


def _puts(target: Value | None, parameter: object) -> bool:
    """Whether a function puts something into that parameter; so it is where it is not known."""
    if not isinstance(target, Function):
        return True
    names = [argument.arg for argument in target.node.args.args]
    if isinstance(parameter, int):
        parameter = names[parameter] if parameter < len(names) else ""
    for node in ast.walk(target.node):
        if not isinstance(node, ast.Attribute) or node.attr not in ("put", "put_nowait"):
            continue
        if isinstance(node.value, ast.Name) and node.value.id == parameter:
            return True
    return False


def daemonic_children(module: Module) -> Iterator[Finding]:
    for event in module.trace.during(WORKER):
        if event.worker is not None and event.worker.daemonic:
            reason = starts_processes(module, event)
            if reason:
                yield Finding(
                    event.node,
                    f"{reason} inside a worker (started in line {line_of(event.worker.node)}),"
                    " which may not have children",
                    "Use 0 workers if multiprocessing.current_process().daemon, or a"
                    " ProcessPoolExecutor around it.",
                )


def more_threads(module: Module) -> Iterator[Finding]:
    for event in module.trace.during(WORKER):
        errand = event.worker
        if event.kind != "call" or event.what != "torch.set_num_threads" or errand is None:
            continue
        number = constant(event.args[0] if event.args else None)
        if errand.role in ("data set", "collate_fn") and isinstance(number, int) and number > 1:
            yield Finding(
                event.node,
                f"a worker raises its threads to {number}: after a fork it waits for ever for"
                " OpenMP threads that do not exist",
                "Leave workers with the one thread that torch gives them.",
            )


def lost_exception(module: Module) -> Iterator[Finding]:
    """An exception that needs several arguments arrives as RuntimeError."""
    for event in module.trace.during(WORKER):
        raised = event.value
        if event.kind != "raise" or event.worker is None or event.worker.role != "data set":
            continue
        if event.worker.loader is None or not isinstance(raised, Instance):
            continue
        kind = raised.of
        if isinstance(kind, Class) and _required(kind) > 1 and _is_caught(module, kind.name):
            yield Finding(
                event.node,
                f"{kind.name} cannot be made again from its message in the main process: it"
                f" arrives there as RuntimeError, and `except {kind.name}` does not catch it",
                "Give the exception one argument, the message.",
            )


def _is_caught(module: Module, name: str) -> bool:
    for handler in ast.walk(module.tree):
        if isinstance(handler, ast.ExceptHandler) and handler.type is not None:
            names = [node for node in ast.walk(handler.type) if isinstance(node, ast.Name)]
            if any(node.id == name for node in names):
                return True
    return False


def _required(kind: Class) -> int:
    """How many arguments the exception needs."""
    init = kind.lookup("__init__")
    if not isinstance(init, Function):
        return 0
    return len(init.node.args.args) - 1 - len(init.node.args.defaults)


def shared_handle(module: Module) -> Iterator[Finding]:
    """A file that is open before the workers start: forked ones share its position."""
    for event in module.trace.during(WORKER):
        opened = event.value
        if event.kind != "read" or not isinstance(opened, Instance) or opened.qual not in HANDLES:
            continue
        if event.worker is not None and event.worker.role in ("data set", "collate_fn"):
            yield _shared(opened.node, f"{event.what} is {HANDLES[opened.qual]} of the module")
    for shipment in module.trace.shipments:
        for problem in shipment.problems:
            if problem.kind == "shared":
                yield _shared(problem.node, f"{problem.path} is {problem.what}")


def _shared(node: ast.AST, what: str) -> Finding:
    return Finding(
        node,
        f"{what}, and workers read from it: forked ones share one position, and get each other's"
        " data",
        "Open it on first use in each process.",
    )


RULES = [
    Rule("SPS705", "too-many-for-windows", "warning", ("RES-8",), too_many),
    Rule("SPS706", "join-before-get", "error", ("RUN-7",), join_before_get),
    Rule("SPS707", "children-of-daemon", "error", ("RUN-1",), daemonic_children),
    Rule("SPS708", "threads-raised-in-worker", "warning", ("FORK-1",), more_threads),
    Rule("SPS709", "exception-lost", "warning", ("RUN-9",), lost_exception),
    Rule("SPS606", "handle-shared-by-fork", "warning", ("FORK-4",), shared_handle, False),
]
