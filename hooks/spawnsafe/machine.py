"""Follows a file as Python would run it: as a worker imports it, and as the main program.

Nothing is run. Values are followed as far as they can be known (see values.py); where they cannot,
both branches of a condition are followed, and nothing is concluded.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from spawnsafe import calls, expressions, shipping, statements
from spawnsafe.trace import CHILD, FREE, MAIN, WORKER, Errand, Event, Trace
from spawnsafe.values import UNKNOWN, Choice, Class, Function, Instance, Scope, Value, choose

MOST_STEPS = 60_000
"""Statements and calls that are followed in one file; a program that is larger is cut off."""
MOST_DEPTH = 12
MOST_CALLS = 5
"""How often one function is followed in one phase."""


class EnoughError(Exception):
    """The file is too large to be followed to its end."""


@dataclass
class Frame:
    """A function that is being followed."""

    function: Function | None
    subject: Value | None = None
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)


@dataclass
class Machine:
    """The state of following one file."""

    trace: Trace
    as_main: bool = False
    phase: str = CHILD
    module: Scope = field(default_factory=lambda: Scope("module"))
    frames: list[Frame] = field(default_factory=lambda: [Frame(None)])
    stack: list[ast.AST] = field(default_factory=list)
    tests: list[ast.expr] = field(default_factory=list)
    handled: list[str] = field(default_factory=list)
    loops: int = 0
    steps: int = 0
    counts: dict[tuple[int, str], int] = field(default_factory=dict)
    arguments: dict[str, Value] = field(default_factory=dict)
    commands: dict[int, list[Function]] = field(default_factory=dict)
    """What was made a command of an application (its id)."""
    errand: Errand | None = None
    changes: list[list[tuple[MutableMapping[Any, Any], Any, Any]]] = field(default_factory=list)
    method: str = ""
    """The start method that was set; "" for the default."""
    busy: set[int] = field(default_factory=set)
    """Classes (their nodes) that go to loaders with workers."""
    idle: set[int] = field(default_factory=set)
    """Classes that go to loaders without workers."""

    def step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise EnoughError

    def evaluate(self, node: ast.expr | None, scope: Scope) -> Value:
        return UNKNOWN if node is None else expressions.evaluate(self, node, scope)

    def run(self, body: list[ast.stmt], scope: Scope) -> bool:
        """Follow statements; whether they surely end the function or the program."""
        return statements.run_block(self, body, scope)

    def record(self, kind: str, what: str, node: ast.AST, **more: Any) -> Event:
        """Note a step, with where it happens."""
        event = Event(
            kind,
            what,
            node,
            self.phase,
            stack=tuple(self.stack),
            tests=tuple(self.tests),
            handled=tuple(self.handled),
            loops=self.loops,
            function=self.frames[-1].function,
            worker=self.errand,
            **more,
        )
        self.trace.events.append(event)
        return event

    # --- Changes: a branch is followed, then taken back and joined with the other ----------

    def store(self, where: MutableMapping[Any, Any], key: Any, value: Any) -> None:
        if self.changes:
            self.changes[-1].append((where, key, where.get(key)))
        where[key] = value

    @contextmanager
    def branch(self) -> Iterator[list[tuple[MutableMapping[Any, Any], Any, Any]]]:
        """Note the changes that are made inside."""
        noted: list[tuple[MutableMapping[Any, Any], Any, Any]] = []
        self.changes.append(noted)
        try:
            yield noted
        finally:
            self.changes.pop()
            if self.changes:
                self.changes[-1] += noted

    def undo(
        self, noted: list[tuple[MutableMapping[Any, Any], Any, Any]]
    ) -> dict[tuple[int, Any], tuple[MutableMapping[Any, Any], Any]]:
        """Take changes back; what they led to, by place."""
        result = {(id(where), key): (where, where.get(key)) for where, key, _ in noted}
        for where, key, old in reversed(noted):
            if old is None:
                where.pop(key, None)
            else:
                where[key] = old
        return result

    def join(self, outcomes: list[dict[tuple[int, Any], tuple[Any, Any]]]) -> None:
        """Continue with what any of the branches led to."""
        places = {place: where for outcome in outcomes for place, (where, _) in outcome.items()}
        for place, where in places.items():
            key = place[1]
            now = where.get(key)
            ends = [outcome[place][1] if place in outcome else now for outcome in outcomes]
            present = [end for end in ends if end is not None]
            if not present:
                self.forget(where, key)
            elif isinstance(present[0], Value):
                self.store(where, key, choose(present))
            else:
                self.store(where, key, present[-1])

    def forget(self, where: MutableMapping[Any, Any], key: Any) -> None:
        if key in where:
            if self.changes:
                self.changes[-1].append((where, key, where[key]))
            del where[key]


def follow(
    tree: ast.Module, *, guarded: bool, alone: bool = False, functions: bool = True
) -> Trace:
    """Follow a whole file.

    Args:
        guarded: whether the name __main__ occurs in it, so that it differs as the main program.
        functions: whether to follow what nothing calls, too.
        alone: whether workers never import it: a notebook, or the __main__.py of a package.
    """
    trace = Trace()
    machine = Machine(trace, phase=MAIN if alone else CHILD, as_main=alone)
    _run_module(machine, tree)
    trace.child_names = set() if alone else set(machine.module.names)
    if guarded and not alone:
        _settle(machine)
        trace.loaders.clear()
        main = Machine(trace, phase=MAIN, as_main=True)
        main.steps = machine.steps // 2
        main.busy, main.idle = machine.busy, machine.idle
        _run_module(main, tree)
        machine = main
    _settle(machine)
    trace.globals = dict(machine.module.names)
    if functions:
        _run_free(machine)
    return trace


def _run_module(machine: Machine, tree: ast.Module) -> None:
    try:
        machine.run(tree.body, machine.module)
    except EnoughError:
        machine.trace.is_cut_off = True
        machine.steps = MOST_STEPS // 2


def _settle(machine: Machine) -> None:
    """Look at loaders that nobody iterated, and at what the workers will run."""
    trace = machine.trace
    try:
        shipping.ship_the_rest(machine)
        done = 0
        while done < len(trace.errands):
            run_errand(machine, trace.errands[done])
            done += 1
    except EnoughError:
        machine.steps = MOST_STEPS // 2
    trace.errands.clear()


def run_errand(machine: Machine, errand: Errand) -> None:
    """Follow what a worker runs, and take back what it changes: the worker has a copy."""
    before = machine.phase, machine.stack, machine.errand, machine.tests, machine.loops
    machine.phase, machine.stack, machine.errand, machine.tests = WORKER, [], errand, []
    with machine.branch() as noted:
        for function, subject in shipping.entries_of(errand):
            calls.call_function(machine, function, [], {}, subject=subject, node=errand.node)
    machine.undo(noted)
    machine.phase, machine.stack, machine.errand, machine.tests, machine.loops = before


def _run_free(machine: Machine) -> None:
    """Follow what nothing called, each function and class on its own."""
    machine.phase = FREE
    seen: set[int] = set()
    try:
        for value in list(_definitions(machine.module)):
            if isinstance(value, Class):
                if id(value.node) not in seen:
                    seen.add(id(value.node))
                    _run_free_class(machine, value)
            elif (id(value.node), MAIN) not in machine.counts and not _was_called(machine, value):
                calls.call_function(machine, value, [], {}, node=value.node)
            _settle(machine)
    except EnoughError:
        pass


def _was_called(machine: Machine, function: Function) -> bool:
    return any((id(function.node), phase) in machine.counts for phase in (CHILD, MAIN, FREE))


def _definitions(scope: Scope) -> Iterator[Function | Class]:
    """The functions and classes that a module defines, and the classes within classes."""
    waiting = list(scope.names.values())
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, Choice):
            waiting = [*value.options, *waiting]
        elif isinstance(value, Function) and not isinstance(value.node, ast.Lambda):
            yield value
        elif isinstance(value, Class):
            yield value
            waiting += [m for m in value.members.values() if isinstance(m, Class)]


def _run_free_class(machine: Machine, kind: Class) -> None:
    """Make an instance with default arguments, and call each method that was not called yet."""
    instance = calls.instantiate(machine, kind, [], {}, kind.node, open_ended=True)
    if not isinstance(instance, Instance):
        return
    shipping.look_at_class(machine, kind, instance)
    for member in list(kind.members.values()):
        for function in [member] if isinstance(member, Function) else []:
            if not _was_called(machine, function):
                with machine.branch() as noted:
                    calls.call_function(
                        machine, function, [], {}, subject=instance, node=function.node
                    )
                machine.undo(noted)
