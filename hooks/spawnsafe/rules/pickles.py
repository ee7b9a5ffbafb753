"""What is sent to worker processes, and cannot be."""

from __future__ import annotations

from collections.abc import Iterator

from spawnsafe import pickling, shipping
from spawnsafe.facts.unpicklable import HANDLES
from spawnsafe.module import Check, Finding, Module, Rule, line_of
from spawnsafe.trace import WORKER, Problem, Shipment
from spawnsafe.values import Class, Function, Instance

CURES = {
    "lambda": "Use a function at the top level of a module, functools.partial of one, or a small"
    " class with __call__.",
    "local": "Define it at the top level of a module.",
    "live": "Make it on first use in the process that uses it, and drop it in __getstate__.",
    "inherited": "Pass it with initializer= and initargs=, or use one of multiprocessing.Manager().",
    "handle": "Keep the path; open on first use in each process, and drop the handle in"
    " __getstate__.",
    "iterator": "Keep what it is made of, and make it where it is used, for example in __iter__.",
    "hidden": "Define it at the top level of a module, outside of the guard.",
    "rebound": "Decorate the function in place with @, so that its name leads to the wrapper.",
    "misnamed": "Give the class the name of the variable that it is kept in.",
    "cell": "Write it to a .py file (%%writefile) and import it, or use 0 workers.",
}
ROLES = {
    "data set": "the data set that goes to the workers",
    "process": "the Process that is started",
    "argument": "an argument that goes to a worker process",
    "task": "the function that goes to the pool",
    "target": "the target of a process",
    "initializer": "the initializer of a pool",
}


def _rule(*kinds: str) -> Check:
    def check(module: Module) -> Iterator[Finding]:
        for shipment in module.trace.shipments:
            for problem in shipment.problems:
                if problem.kind in kinds:
                    cure = CURES[problem.kind]
                    yield Finding(problem.node, _message(shipment, problem), cure)

    return check


def _message(shipment: Shipment, problem: Problem) -> str:
    role = ROLES.get(shipment.role, shipment.role)
    holder = f"{problem.path} of {role}" if problem.path else role
    if problem.path:
        return f"{holder} holds {problem.what}, which cannot be pickled{_used(shipment, problem)}"
    return f"{problem.what} in {role} cannot be pickled{_used(shipment, problem)}"


def _used(shipment: Shipment, problem: Problem) -> str:
    line = line_of(shipment.node)
    return "" if line == line_of(problem.node) else f" (used in line {line})"


def hidden(module: Module) -> Iterator[Finding]:
    """Definitions that exist in the main process only."""
    if module.is_notebook:
        return
    where = "in __main__.py, which workers do not import"
    if not module.is_package_main:
        where = "under the main guard, where workers do not find it"
    for shipment in module.trace.shipments:
        for problem in shipment.problems:
            if problem.kind == "hidden":
                yield Finding(
                    problem.node,
                    f"{problem.what} is defined {where}{_used(shipment, problem)}",
                    CURES["hidden"],
                )


def lazy_handle(module: Module) -> Iterator[Finding]:
    """A handle that is opened while a sample is loaded, and kept, and that pickling would take."""
    for shipment in module.trace.shipments:
        for problem in shipment.problems:
            if problem.kind == "late":
                yield Finding(
                    problem.node,
                    f"{problem.path} holds {problem.what} after len() was asked for, as a loader"
                    " does: the data set cannot be sent to workers a second time",
                    CURES["handle"],
                )
    seen = set()
    for event in module.trace.during(WORKER):
        owner, errand = event.receiver, event.worker
        if event.kind != "setattr" or errand is None or errand.role != "data set":
            continue
        if errand.loader is not None or not isinstance(owner, Instance):
            continue
        kind, value = owner.of, event.value
        if not isinstance(kind, Class) or not isinstance(value, Instance):
            continue
        if value.qual in HANDLES and (kind, event.what) not in seen and _keeps(kind, event.what):
            seen.add((kind, event.what))
            yield Finding(
                event.node,
                f"self.{event.what} holds {HANDLES[value.qual]} after the first sample; if the main"
                " process looks at one, the data set cannot be sent to workers any more",
                f'Drop it in __getstate__: return {{**self.__dict__, "{event.what}": None}}.',
            )


def _keeps(kind: Class, name: str) -> bool:
    """Whether pickling an object of the class takes the attribute along."""
    if any(isinstance(kind.lookup(method), Function) for method in pickling.OWN_PICKLING):
        return False
    if not shipping.is_dataset(kind):
        return False
    getter = kind.lookup("__getstate__")
    return not isinstance(getter, Function) or not pickling.drops(getter.node, name)


def _in_cell(roles: tuple[str, ...]) -> Check:
    def check(module: Module) -> Iterator[Finding]:
        if not module.is_notebook:
            return
        for shipment in module.trace.shipments:
            for problem in shipment.problems:
                if problem.kind == "hidden" and shipment.role in roles and shipment.certain:
                    role = ROLES.get(shipment.role, shipment.role)
                    yield Finding(
                        problem.node,
                        f"{problem.what} is defined in a cell, where worker processes do not find"
                        f" it; it is needed for {role}",
                        CURES["cell"],
                    )

    return check


RULES = [
    Rule("SPS301", "lambda-to-worker", "error", ("PICK-1",), _rule("lambda")),
    Rule("SPS302", "local-to-worker", "error", ("PICK-1", "PICK-5"), _rule("local")),
    Rule("SPS303", "live-object-to-worker", "error", ("PICK-2",), _rule("live", "inherited")),
    Rule("SPS304", "open-handle-to-worker", "error", ("PICK-3",), _rule("handle")),
    Rule("SPS305", "lazy-handle-kept", "warning", ("PICK-3",), lazy_handle),
    Rule("SPS306", "iterator-to-worker", "error", ("PICK-4",), _rule("iterator")),
    Rule("SPS307", "hidden-from-worker", "error", ("PICK-6", "BOOT-5"), hidden, False),
    Rule("SPS308", "rebound-name", "error", ("PICK-7",), _rule("rebound", "misnamed")),
    Rule(
        "SPS801", "data-in-cell", "error", ("NB-1",),
        _in_cell(("data set", "collate_fn", "worker_init_fn", "argument")),
    ),
    Rule(
        "SPS802", "target-in-cell", "error", ("NB-2",),
        _in_cell(("target", "task", "process", "initializer")),
    ),
]  # fmt: skip
