"""What an expression may stand for, as far as it can be known without running the program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"


@lru_cache(maxsize=1000)
def local_names(node: FunctionNode) -> frozenset[str]:
    """The names that a function assigns, but not those that it declares to be global."""
    found: set[str] = set()
    declared: set[str] = set()
    waiting: list[ast.AST] = [] if isinstance(node, ast.Lambda) else list(node.body)
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Name):
            if isinstance(part.ctx, ast.Store):
                found.add(part.id)
        elif isinstance(part, (ast.Global, ast.Nonlocal)):
            declared |= set(part.names)
        elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(part.name)
        elif not isinstance(part, (ast.Lambda, *COMPREHENSIONS)):
            waiting += ast.iter_child_nodes(part)
    return frozenset(found - declared)


@dataclass(eq=False)
class Value:
    """Anything. A value that nothing is known about is UNKNOWN."""


UNKNOWN = Value()


@dataclass(eq=False)
class Const(Value):
    """A number, a text, True, False, None."""

    value: object


@dataclass(eq=False)
class Name(Value):
    """Something that is imported or built in, by its full name: torch.utils.data.DataLoader.

    Attributes:
        context: the start method of the multiprocessing context that it was taken from.
        is_module: whether `import` made it.
    """

    qual: str
    context: str = ""
    is_module: bool = False


@dataclass(eq=False)
class Scope:
    """The names of a module, a function or a class, and the scope around it."""

    kind: str
    outer: Scope | None = None
    names: dict[str, Value] = field(default_factory=dict)
    declared_global: set[str] = field(default_factory=set)
    body: FunctionNode | None = None

    def makes_local(self, name: str) -> bool:
        """Whether the function assigns the name somewhere, so that it never means a global one."""
        return self.body is not None and name in local_names(self.body)


@dataclass(eq=False)
class Function(Value):
    """A function or lambda of this file."""

    node: FunctionNode
    scope: Scope
    defaults: list[Value] = field(default_factory=list)
    keyword_defaults: dict[str, Value] = field(default_factory=dict)
    owner: Class | None = None
    wraps: Value | None = None
    is_local: bool = False
    kind: str = "plain"

    @property
    def name(self) -> str:
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name


@dataclass(eq=False)
class Class(Value):
    """A class of this file."""

    node: ast.ClassDef
    bases: list[Value]
    members: dict[str, Value] = field(default_factory=dict)
    is_local: bool = False
    is_decorated: bool = False

    @property
    def name(self) -> str:
        return self.node.name

    def lookup(self, name: str) -> Value | None:
        """A member of the class or of a base class in this file."""
        for kind in self.line():
            if name in kind.members:
                return kind.members[name]
        return None

    def line(self) -> Iterator[Class]:
        """The class and its base classes in this file, nearest first."""
        waiting: list[Value] = [self]
        seen: set[int] = set()
        while waiting:
            kind = waiting.pop(0)
            if isinstance(kind, Class) and id(kind) not in seen:
                seen.add(id(kind))
                yield kind
                waiting += kind.bases

    def foreign_bases(self) -> list[str]:
        """The full names of the base classes that are not in this file; "" for one unknown."""
        found = []
        for kind in self.line():
            for base in kind.bases:
                if isinstance(base, Name):
                    found.append(base.qual)
                elif not isinstance(base, Class):
                    found.append("")
        return found


@dataclass(eq=False)
class Instance(Value):
    """What a call of a class or of a foreign function gives."""

    of: Value
    node: ast.AST
    args: list[Value] = field(default_factory=list)
    kwargs: dict[str, Value] = field(default_factory=dict)
    open_ended: bool = False
    attrs: dict[str, Value] = field(default_factory=dict)
    stored_at: dict[str, ast.AST] = field(default_factory=dict)
    base: Instance | None = None
    owner: Value | None = None

    @property
    def qual(self) -> str:
        """The full name of what was called; that of the foreign base for a class of this file."""
        if isinstance(self.of, Name):
            return self.of.qual
        if self.base is not None:
            return self.base.qual
        if isinstance(self.of, Class):
            return next((name for name in self.of.foreign_bases() if name), "")
        return ""

    @property
    def context(self) -> str:
        return self.of.context if isinstance(self.of, Name) else ""

    @property
    def call(self) -> Instance:
        """The call that holds the arguments of the foreign class."""
        return self.base if self.base is not None else self

    def argument(self, name: str, position: int | None = None) -> Value | None:
        """An argument by its name, or by its position; None if it is not given."""
        call = self.call
        if name in call.kwargs:
            return call.kwargs[name]
        if position is not None and position < len(call.args):
            return call.args[position]
        return None


@dataclass(eq=False)
class Many(Value):
    """A list, tuple, set (items) or dictionary (items, and entries by constant keys)."""

    node: ast.AST
    items: list[Value] = field(default_factory=list)
    entries: dict[object, Value] = field(default_factory=dict)
    is_dict: bool = False
    open_ended: bool = False

    def elements(self) -> list[Value]:
        return [*self.items, *self.entries.values()]


@dataclass(eq=False)
class Choice(Value):
    """One of several values; verdict: whether it is true in a condition, where that is known."""

    options: list[Value]
    verdict: bool | None = None


@dataclass(eq=False)
class Bound(Value):
    """A method of an instance: of this file (a function), or of a foreign class (its name)."""

    owner: Value
    name: str
    function: Function | None = None


@dataclass(eq=False)
class Joined(Value):
    """A text, path or number made of other values."""

    parts: list[Value]


NEVER_EMPTY = {"sys.argv", "sys.path", "os.environ"}


def choose(values: list[Value]) -> Value:
    """One of these: the value itself if there is only one."""
    options: list[Value] = []
    for value in values:
        for option in value.options if isinstance(value, Choice) else [value]:
            if not any(same(option, other) for other in options):
                options.append(option)
    if not options:
        return UNKNOWN
    return options[0] if len(options) == 1 else Choice(options[:12])


def same(one: Value, other: Value) -> bool:
    """Whether two values are surely the same."""
    if isinstance(one, Const) and isinstance(other, Const):
        return type(one.value) is type(other.value) and one.value == other.value
    if isinstance(one, Name) and isinstance(other, Name):
        return (one.qual, one.context) == (other.qual, other.context)
    return one is other


def options_of(value: Value | None) -> list[Value]:
    """What it may be; empty for None."""
    if value is None:
        return []
    return value.options if isinstance(value, Choice) else [value]


def constant(value: Value | None) -> object:
    """The value of a constant; Ellipsis if it is none."""
    return value.value if isinstance(value, Const) else ...


def truth(value: Value) -> bool | None:
    """Whether it is true in a condition; None if that is not known."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Many) and not value.open_ended:
        return bool(value.items or value.entries)
    if isinstance(value, Choice):
        if value.verdict is not None:
            return value.verdict
        verdicts = {truth(option) for option in value.options}
        return verdicts.pop() if len(verdicts) == 1 else None
    if isinstance(value, (Function, Class)):
        return True
    return True if isinstance(value, Name) and value.qual in NEVER_EMPTY else None


def parts(value: Value, depth: int = 4) -> Iterator[Value]:
    """A value and what it is made of."""
    yield value
    if depth:
        inner: list[Value] = []
        if isinstance(value, Joined):
            inner = value.parts
        elif isinstance(value, Choice):
            inner = value.options
        elif isinstance(value, Many):
            inner = value.elements()
        elif isinstance(value, Instance):
            inner = [*value.args, *value.kwargs.values()]
            inner += [value.owner] if value.owner is not None else []
        for part in inner:
            yield from parts(part, depth - 1)
