"""What happened while a file was followed, for the rules to look at."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from spawnsafe.values import Class, Function, Instance, Value

CHILD = "child"
"""The module is imported: by another module, or by a worker process that reads the main file."""
MAIN = "main"
"""The file runs as the program, with the blocks under its guard."""
FREE = "free"
"""A function that nothing in this file calls, with arguments that nobody knows."""
WORKER = "worker"
"""A function that a worker process calls."""


@dataclass(eq=False)
class Problem:
    """A part of a value that cannot be sent to another process.

    Attributes:
        kind: lambda, local, live, handle, iterator, hidden, rebound, misnamed, inherited; shared for a handle
            that is inherited and not pickled; late for one that is there after the first epoch.
        node: where the part comes from.
        path: how it is reached, such as `self.file`.
        what: what it is, in words.
    """

    kind: str
    node: ast.AST
    path: str
    what: str


@dataclass(eq=False)
class Event:
    """One step that a rule may care about.

    Attributes:
        kind: call, iterate, import, set, setattr, setitem, setglobal, read, invoke
            (a method of this file), make (an object of a class of this file), raise.
        what: its full name, such as `multiprocessing.Process().start`; "?" stands for an unknown
            receiver.
        stack: the calls that led here, outermost first; empty at module level.
        tests: the conditions around it.
        handled: names of the exceptions that are caught around it.
        worker: in the phase WORKER, how the function came to run there.
    """

    kind: str
    what: str
    node: ast.AST
    phase: str
    value: Value | None = None
    receiver: Value | None = None
    args: list[Value] = field(default_factory=list)
    kwargs: dict[str, Value] = field(default_factory=dict)
    stack: tuple[ast.AST, ...] = ()
    tests: tuple[ast.expr, ...] = ()
    handled: tuple[str, ...] = ()
    loops: int = 0
    function: Function | None = None
    worker: Errand | None = None

    @property
    def root(self) -> ast.AST:
        """The call at module level that led here, or the step itself."""
        return self.stack[0] if self.stack else self.node


@dataclass(eq=False)
class Shipment:
    """A value on its way to another process, and what in it cannot travel."""

    role: str
    value: Value
    node: ast.AST
    problems: list[Problem]
    certain: bool


@dataclass(eq=False)
class Errand:
    """What a worker process will run.

    Attributes:
        role: data set, collate_fn, worker_init_fn, target, task, initializer.
        daemonic: whether the worker may not have children.
        sibling_count: how many workers do the same; 0 if that is not known.
    """

    role: str
    value: Value
    node: ast.AST
    daemonic: bool = False
    sibling_count: int = 0
    loader: Instance | None = None


@dataclass(eq=False)
class Trace:
    """All that was seen in one file."""

    events: list[Event] = field(default_factory=list)
    shipments: list[Shipment] = field(default_factory=list)
    errands: list[Errand] = field(default_factory=list)
    loaders: list[Instance] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    samples: list[tuple[Class, Instance, bool]] = field(default_factory=list)
    """Each class that is a data set, an instance made with default arguments, and whether the file
    hands the class to a loader with workers."""
    globals: dict[str, Value] = field(default_factory=dict)
    """The names of the module at the end of its run as the main program."""
    child_names: set[str] = field(default_factory=set)
    """The names that a worker finds after it has imported the main file."""

    is_cut_off: bool = False
    """Whether the module is so large that it was not followed to its end."""

    def during(self, *phases: str) -> list[Event]:
        return [event for event in self.events if event.phase in phases]
