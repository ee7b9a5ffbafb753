"""Processes that start, and costly objects that are built, when a module is imported."""

from __future__ import annotations

from collections.abc import Iterator

from spawnsafe import shipping
from spawnsafe.facts.effects import COSTLY, COSTLY_IF_DOWNLOADED, COSTLY_METHODS
from spawnsafe.facts.starting import (
    FASTAI_LEARNERS,
    FASTAI_STARTS,
    TRAINER_METHODS,
    TRAINERS_WITH_ARGUMENTS,
    WORKERS_ARGUMENT,
)
from spawnsafe.module import (
    Finding,
    Module,
    Rule,
    in_framework,
    is_loader,
    place,
    short,
    starts_processes,
)
from spawnsafe.trace import FREE, MAIN, WORKER, Event
from spawnsafe.values import Instance, Value, constant, parts

GUARD = 'Move it into a function that is called under `if __name__ == "__main__":`.'


def processes_at_import(module: Module) -> Iterator[Finding]:
    for event in module.at_import:
        reason = starts_processes(module, event)
        if reason:
            yield Finding(
                event.root,
                f"{reason}{place(event)} when the module is imported, and each worker imports it"
                " again",
                GUARD,
            )


def framework_at_import(module: Module) -> Iterator[Finding]:
    for event in module.at_import:
        reason = framework_starts(module, event)
        if reason:
            message = f"{short(event.what)}() {reason}{place(event)} when the module is imported"
            yield Finding(event.root, message, GUARD)


def framework_starts(module: Module, event: Event) -> str:
    """How a call into a framework comes to start processes; "" if it does not."""
    if event.kind != "call":
        return ""
    owner, _, method = event.what.rpartition("().")
    if event.what in WORKERS_ARGUMENT:
        name, least = WORKERS_ARGUMENT[event.what]
        number = constant(event.kwargs.get(name))
        above = isinstance(number, int) and number > least
        return f"starts {number} processes" if above else ""
    if owner in TRAINERS_WITH_ARGUMENTS and method in TRAINER_METHODS:
        return "iterates loaders with workers" if _settings_have_workers(event) else ""
    if owner in FASTAI_LEARNERS and method in FASTAI_STARTS:
        reason = "iterates loaders, which have workers unless they are told otherwise"
    else:
        reason = in_framework(event)
    return reason if reason and not _has_no_workers(module, event) else ""


def _settings_have_workers(event: Event) -> bool:
    """Whether the trainer was given dataloader_num_workers above 0."""
    for part in parts(event.receiver, 5) if event.receiver is not None else ():
        if isinstance(part, Instance):
            number = constant(part.kwargs.get("dataloader_num_workers"))
            if isinstance(number, int) and number > 0:
                return True
    return False


def _has_no_workers(module: Module, event: Event) -> bool:
    """Whether it is told to have none, in the call or where its data were made.

    Loaders that nothing is known about have workers in all but toy programs; if this file makes
    loaders, and none with workers, it is such a program.
    """
    if constant(event.kwargs.get("workers")) == 0:
        return True
    given = [*event.args, *event.kwargs.values()]
    given += [event.receiver] if event.receiver is not None else []
    made = [part for value in given for part in parts(value, 5)]
    if any(isinstance(p, Instance) and constant(p.kwargs.get("num_workers")) == 0 for p in made):
        return True
    loaders: list[Value | None] = [part for part in made if is_loader(part)]
    loaders = loaders or [e.value for e in module.trace.events if is_loader(e.value)]
    states = [shipping.workers_of(part)[0] for part in loaders if isinstance(part, Instance)]
    return bool(states) and set(states) == {"none"}


def costly_at_import(module: Module) -> Iterator[Finding]:
    """Only where the file starts workers as the main program, or builds a loader with some."""
    starting = {id(event.root) for event in module.at_import if starts_processes(module, event)}
    iterated = [e.value for e in module.at_import if e.kind == "iterate"]
    used = _workers_follow(module)
    for event in module.at_import:
        if event.kind not in ("call", "make") or id(event.root) in starting:
            continue
        value = event.value
        if is_loader(value) and isinstance(value, Instance):
            some = shipping.workers_of(value)[0] == "some"
            # A loader made by a subclass in this file has a call of its own.
            if some and value not in iterated and module.default_method != "fork":
                message = f"a DataLoader with workers is built{place(event)} at import"
                yield Finding(event.root, f"{message}, and built again in each worker", GUARD)
        elif used and event.kind == "call":
            reason = _cost(event)
            if reason:
                message = f"{short(event.what)}() {reason}{place(event)} at import"
                yield Finding(event.root, f"{message}, and again in each worker", GUARD)


def _workers_follow(module: Module) -> bool:
    """Whether the file, as the main program, starts processes that import it."""
    return module.is_guarded and any(
        starts_processes(module, event) or framework_starts(module, event)
        for event in module.trace.during(MAIN, FREE)
        if event.phase != WORKER
    )


def _cost(event: Event) -> str:
    if event.what in COSTLY:
        return COSTLY[event.what]
    if event.what.rpartition(".")[2] in COSTLY_METHODS and "?" not in event.what:
        return "loads a model"
    if event.what.startswith("torchvision.models."):
        given = [event.kwargs.get("weights"), event.kwargs.get("pretrained")]
        wanted = [value for value in given if constant(value) not in (None, False, ...)]
        return "loads a model" if wanted else ""
    if event.what.startswith(COSTLY_IF_DOWNLOADED):
        return "may download" if constant(event.kwargs.get("download")) is True else ""
    return ""


RULES = [
    Rule(
        "SPS101", "processes-at-import", "error", ("BOOT-1", "BOOT-3"), processes_at_import, False
    ),
    Rule("SPS102", "framework-at-import", "error", ("BOOT-4",), framework_at_import, False),
    Rule("SPS103", "costly-at-import", "warning", ("BOOT-2",), costly_at_import, False),
]
