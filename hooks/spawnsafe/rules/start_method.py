"""The start method: where it is set, what fixes it before, objects of different contexts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from spawnsafe import shipping
from spawnsafe.facts.starting import FIXES_METHOD, SYNCHRONIZED
from spawnsafe.module import (
    Finding,
    Module,
    Rule,
    is_loader,
    line_of,
    mentions,
    place,
    short,
    surely_before,
)
from spawnsafe.trace import CHILD, MAIN, WORKER, Event
from spawnsafe.values import Class, Instance, Value, constant, options_of, parts

SET = "multiprocessing.set_start_method"
CATCHES = ("RuntimeError", "Exception", "ValueError")
PLATFORM = ("platform", "darwin", "linux", "win32", "system", "name", "Linux", "Windows", "nt")


def sets_method(event: Event) -> bool:
    return event.kind == "call" and event.what == SET


def is_forced(event: Event) -> bool:
    value = event.kwargs.get("force") or (event.args[1] if len(event.args) > 1 else None)
    return constant(value) is True


def is_caught(event: Event) -> bool:
    return any(not name or any(word in name for word in CATCHES) for name in event.handled)


def asks_first(event: Event) -> bool:
    """Whether it is set only where it is not set yet."""
    return any(mentions(test, "allow_none", "get_start_method") for test in event.tests)


def set_at_import(module: Module) -> Iterator[Finding]:
    for event in module.at_import:
        if not sets_method(event) or is_forced(event):
            continue
        if not is_caught(event) and not asks_first(event):
            yield Finding(
                event.root,
                f"set_start_method(){place(event)} runs again when a worker imports the module,"
                " and fails there",
                'Call it first thing under `if __name__ == "__main__":`, or pass'
                " multiprocessing_context= to the loader.",
            )


def set_too_late(module: Module) -> Iterator[Finding]:
    for sequence in module.sequences:
        fixed: list[tuple[Event, str]] = []
        for event in sequence:
            if sets_method(event):
                earlier = [item for item in fixed if surely_before(item[0], event)]
                harmless = is_forced(event) or is_caught(event) or _asks_rightly(event)
                if earlier and not harmless:
                    first, reason = earlier[0]
                    message = f"the start method is fixed before: {reason} in line"
                    yield Finding(
                        event.node,
                        f"set_start_method() is too late: {message} {line_of(first.node)}",
                        "Set it before everything else under the guard, or use"
                        " get_context(NAME) and multiprocessing_context=.",
                    )
            reason = _fixes(event)
            if reason:
                fixed.append((event, reason))


def _asks_rightly(event: Event) -> bool:
    """get_start_method(allow_none=True) fixes nothing; without it, it does."""
    for test in event.tests:
        for node in ast.walk(test):
            if isinstance(node, ast.keyword) and node.arg == "allow_none":
                return True
    return False


def _fixes(event: Event) -> str:
    """How a step fixes the default start method; "" if it does not."""
    value = event.value
    if event.kind == "iterate" and isinstance(value, Instance) and is_loader(value):
        own = shipping.loader_argument(value, "multiprocessing_context") is not None
        started = shipping.workers_of(value)[0] == "some" and not own
        return "the DataLoader starts its workers" if started else ""
    if event.kind != "call" or not isinstance(value, Instance) or value.context:
        return ""
    if isinstance(event.receiver, Instance) and event.receiver.context:
        return ""
    if event.what == SET and not is_forced(event):
        return "set_start_method() was called"
    if event.what == "multiprocessing.get_start_method":
        asked = constant(value.argument("allow_none", 0)) is True
        return "" if asked else "get_start_method() fixes the default"
    if event.what == "multiprocessing.get_context":
        named = constant(value.argument("method", 0)) not in (None, ...)
        bare = not value.args and not value.kwargs
        none = constant(value.argument("method", 0)) is None and bool(value.args or value.kwargs)
        return "" if named or not (bare or none) else "get_context() fixes the default"
    if event.what.startswith("tqdm.") and constant(value.kwargs.get("disable")) is True:
        return ""
    if event.what == "concurrent.futures.ProcessPoolExecutor" and "mp_context" in value.kwargs:
        return ""
    reason = FIXES_METHOD.get(event.what)
    return f"{short(event.what)}() {reason}" if reason else ""


def mixed_contexts(module: Module) -> Iterator[Finding]:
    """A lock made in a fork context cannot go to a process that is spawned."""
    if module.default_method not in ("", "fork"):
        return
    for value, method, use in _uses(module):
        if method not in ("spawn", "forkserver"):
            continue
        for part in held(value):
            if not isinstance(part, Instance) or part.qual not in SYNCHRONIZED:
                continue
            if part.context in ("", "fork", "default"):
                yield Finding(
                    part.node,
                    f"this {short(part.qual)} is of the default context, and goes to a process"
                    f" that is started by {method} in line {line_of(use)}",
                    f'Make it with the same context: get_context("{method}").{short(part.qual)}.',
                )


def _uses(module: Module) -> Iterator[tuple[Value, str, ast.AST]]:
    """What goes to processes, with the start method that is named for them."""
    for event in module.trace.events:
        value = event.value
        if event.kind == "call" and isinstance(value, Instance):
            if value.context and event.what in ("multiprocessing.Process", "multiprocessing.Pool"):
                yield from ((arg, value.context, value.node) for arg in _given(value))
            elif event.what == "concurrent.futures.ProcessPoolExecutor":
                method = _method_name(value.argument("mp_context", 1))
                yield from ((arg, method, value.node) for arg in _given(value))
            elif event.what == "torch.multiprocessing.spawn":
                yield from ((arg, "spawn", value.node) for arg in _given(value))
            elif shipping.is_loader(value):
                context = shipping.loader_argument(value, "multiprocessing_context")
                method = _method_name(context)
                data = shipping.loader_argument(value, "dataset")
                if data is not None and shipping.workers_of(value)[0] != "none":
                    yield data, method, value.node


def _method_name(context: Value | None) -> str:
    for option in options_of(context):
        name = constant(option)
        if isinstance(option, Instance) and option.qual == "multiprocessing.get_context":
            name = constant(option.argument("method", 0))
        if isinstance(name, str):
            return name
    return ""


def _given(value: Instance) -> list[Value]:
    return [*value.args, *value.kwargs.values()]


def held(value: Value, depth: int = 4) -> Iterator[Value]:
    """A value, what it is made of, and what its objects hold."""
    for part in parts(value, 3):
        yield part
        if depth and isinstance(part, Instance) and isinstance(part.of, Class):
            for attribute in list(part.attrs.values()):
                yield from held(attribute, depth - 1)


def forced_in_library(module: Module) -> Iterator[Finding]:
    for number, sequence in enumerate(module.sequences):
        before: list[Event] = []
        for event in sequence:
            if sets_method(event) and is_forced(event):
                library = event.phase == CHILD or (number > 0 and not module.is_guarded)
                if (
                    module.is_test
                    or _in_fixture(event)
                    or (event.phase == MAIN and not event.stack)
                ):
                    library = False
                mixed = any(
                    e.what in FIXES_METHOD and _fixes(e) and surely_before(e, event) for e in before
                )
                if library or mixed:
                    yield _forced(event)
            before.append(event)
    for event in module.at_import:
        if module.is_guarded and sets_method(event) and is_forced(event):
            yield _forced(event)


def _in_fixture(event: Event) -> bool:
    node = event.function.node if event.function is not None else None
    decorators = [] if node is None or isinstance(node, ast.Lambda) else node.decorator_list
    return any(mentions(decorator, "fixture") for decorator in decorators)


def _forced(event: Event) -> Finding:
    return Finding(
        event.root if event.phase == CHILD else event.node,
        "set_start_method(force=True) changes the start method for the whole program, and for"
        " objects that exist already",
        "Leave the choice to the program; use get_context(NAME) or multiprocessing_context=.",
    )


def fork_by_name(module: Module) -> Iterator[Finding]:
    for event in module.trace.events:
        value = event.value
        if event.kind != "call" or not isinstance(value, Instance):
            continue
        names = {SET: ("method", 0), "multiprocessing.get_context": ("method", 0)}
        if event.what in names:
            method = constant(value.argument(*names[event.what]))
        elif shipping.is_loader(value):
            method = constant(shipping.loader_argument(value, "multiprocessing_context"))
        else:
            method = constant(value.kwargs.get("start_method"))
        if _forks_on_mac(event.node):
            method, careful = "fork", False
        elif method != "fork":
            continue
        else:
            careful = _is_careful(event)
        if not careful and _names_accelerator(module):
            yield Finding(
                event.node,
                "fork is chosen by name, in code that names CUDA, MPS or macOS: forked workers"
                " cannot use an accelerator, and crash on macOS",
                'Use "spawn" or "forkserver".',
            )


def _is_careful(event: Event) -> bool:
    """Whether it depends on the system, and not on one where fork is at its worst."""
    if any(_is_of_mac(test) for test in event.tests):
        return False
    return is_caught(event) or any(mentions(test, *PLATFORM) for test in event.tests)


def _is_of_mac(test: ast.expr) -> bool:
    """Whether a condition is true just where fork is at its worst: macOS, and MPS."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
        sides = (test.left, test.comparators[0])
        return any(isinstance(s, ast.Constant) and s.value in ("darwin", "Darwin") for s in sides)
    return isinstance(test, ast.Call) and ast.unparse(test.func).endswith("mps.is_available")


def _forks_on_mac(node: ast.AST) -> bool:
    """multiprocessing_context="fork" if torch.backends.mps.is_available() else None"""
    for keyword in node.keywords if isinstance(node, ast.Call) else ():
        chosen = keyword.value
        if keyword.arg in ("multiprocessing_context", "method") and isinstance(chosen, ast.IfExp):
            is_fork = isinstance(chosen.body, ast.Constant) and chosen.body.value == "fork"
            return is_fork and _is_of_mac(chosen.test)
    return False


def _names_accelerator(module: Module) -> bool:
    named = module.mentions(r"(?i)\bcuda\b|\bmps\b|darwin|macos")
    return named or module.project.runs_on_macos


def globals_of_main(module: Module) -> Iterator[Finding]:
    """A module global that only the main process sets, and that a worker reads."""
    if module.default_method == "fork":
        return
    again = {id(e.node) for e in module.trace.during(CHILD) if e.kind.startswith("set")}
    read: dict[str, Event] = {}
    for event in module.trace.during(WORKER):
        if event.kind == "read":
            read.setdefault(event.what, event)
    set_there = {e.what for e in module.trace.during(WORKER) if e.kind == "setglobal"}
    for event in module.trace.during(MAIN):
        name = _global_name(module, event)
        if name in read and name not in set_there and id(event.node) not in again:
            reader = read[name].function
            where = f"{reader.name}()" if reader else "a function"
            yield Finding(
                event.node,
                f"{name} is set in the main process only, and a worker reads it in {where},"
                f" line {line_of(read[name].node)}",
                "Pass it: as an argument of the data set or target, or with"
                " worker_init_fn=partial(...) or initializer=.",
            )


def _global_name(module: Module, event: Event) -> str:
    if event.kind == "setglobal":
        return event.what
    if event.kind in ("setitem", "setattr") and event.receiver is not None:
        for name, value in module.trace.globals.items():
            if value is event.receiver:
                # An object changes itself in its own methods: that is no setting.
                own = event.function is not None and event.function.owner is not None
                return "" if own else name
    return ""


def fixed_at_import(module: Module) -> Iterator[Finding]:
    for event in module.at_import:
        asks = event.what in ("multiprocessing.get_context", "multiprocessing.get_start_method")
        if asks and _fixes(event):
            yield Finding(
                event.root,
                f"{short(event.what)}(){place(event)} at import fixes the start method for every"
                " program that imports this module",
                'Name the method, as in get_context("spawn"); ask with'
                " get_start_method(allow_none=True).",
            )


RULES = [
    Rule("SPS201", "start-method-at-import", "error", ("START-1",), set_at_import, False),
    Rule("SPS202", "start-method-too-late", "error", ("START-2",), set_too_late),
    Rule("SPS203", "mixed-contexts", "error", ("START-3",), mixed_contexts),
    Rule("SPS204", "start-method-forced", "warning", ("START-8",), forced_in_library, False),
    Rule("SPS205", "fork-by-name", "warning", ("FORK-5",), fork_by_name),
    Rule("SPS206", "globals-of-main", "error", ("START-5",), globals_of_main, False),
    Rule("SPS207", "start-method-fixed-at-import", "warning", ("START-2",), fixed_at_import, False),
]
