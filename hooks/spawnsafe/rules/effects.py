"""Side effects of an import, which each worker repeats, and settings that come too late."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from spawnsafe.facts.effects import (
    CLOCKS,
    DELETES,
    DELETES_FILE,
    LATE_FOR_CUDA,
    LATE_VARIABLES,
    MAKES_FOLDER,
    MAKES_TEMPORARY,
    PARSES,
    THREADS_AT_ONCE,
    WRITERS,
)
from spawnsafe.module import Finding, Module, Rule, line_of, place, short, surely_before
from spawnsafe.rules.accelerator import touches
from spawnsafe.trace import CHILD, MAIN, Event
from spawnsafe.values import UNKNOWN, Bound, Instance, Value, constant, parts

INTO_MAIN = 'Do it in main(), which is called under `if __name__ == "__main__":`.'


def _at_import(module: Module) -> list[Event]:
    """The calls at import, in files that have to do with workers."""
    if not module.has_workers:
        return []
    return [event for event in module.at_import if event.kind == "call"]


def threads(module: Module) -> Iterator[Finding]:
    for event in _at_import(module):
        what = THREADS_AT_ONCE.get(event.what)
        # With `with`, it is gone before any worker starts.
        closed = isinstance(event.value, Instance) and "<entered>" in event.value.attrs
        if what and not closed:
            yield Finding(
                event.root,
                f"{what} is made{place(event)} at import: forked workers and the fork server get"
                " its locks without its threads",
                "Make it on first use, in a function, once for each process.",
            )


def emptied_files(module: Module) -> Iterator[Finding]:
    for event in _at_import(module):
        reason = _deletes(module, event) or _empties(event)
        if reason:
            yield Finding(
                event.root, f"{reason}{place(event)} at import, and each worker does so again",
                INTO_MAIN,
            )  # fmt: skip


def _deletes(module: Module, event: Event) -> str:
    """Files that are temporary are each worker's own."""
    alone = event.what in DELETES_FILE and all(map(_asks_whether_there, event.tests))
    if event.what not in DELETES and not alone:
        return ""
    path = event.receiver if event.what.startswith("pathlib") else next(iter(event.args), UNKNOWN)
    made = list(parts(path, 6)) if path is not None else []
    made += [part.owner for part in made if isinstance(part, Bound)]
    known = [part.qual for part in made if isinstance(part, Instance)]
    if any(qual.startswith(MAKES_TEMPORARY) for qual in known):
        return ""
    if UNKNOWN in made and module.mentions("tempfile"):
        return ""
    return f"{short(event.what)}() deletes"


def _asks_whether_there(test: ast.expr) -> bool:
    """`if os.path.exists(path)`: what the program makes, the next worker finds and deletes."""
    name = ast.unparse(test.func).rpartition(".")[2] if isinstance(test, ast.Call) else ""
    return name in ("exists", "lexists", "isfile", "is_file", "islink", "is_symlink")


def _empties(event: Event) -> str:
    value = event.value
    if not isinstance(value, Instance):
        return ""
    mode: object = ...
    if event.what == "builtins.open":
        mode = constant(value.argument("mode", 1))
    elif event.what == "pathlib.Path().open":
        mode = constant(value.argument("mode", 0))
    elif event.what == "logging.FileHandler":
        mode = constant(value.argument("mode", 1))
    elif event.what == "logging.basicConfig" and "filename" in value.kwargs:
        mode = constant(value.kwargs.get("filemode"))
    elif event.what in ("pathlib.Path().write_text", "pathlib.Path().write_bytes"):
        mode = "w"
    opens = isinstance(mode, str) and mode.startswith("w")
    return f"{short(event.what)}() empties a file" if opens else ""


def parsed(module: Module) -> Iterator[Finding]:
    for event in _at_import(module):
        if event.what in PARSES and not event.args and "args" not in event.kwargs:
            yield Finding(
                event.root,
                f"the command line is parsed{place(event)} at import, and in each worker",
                INTO_MAIN,
            )


def runs_by_time(module: Module) -> Iterator[Finding]:
    for event in _at_import(module):
        named = [*event.args, *event.kwargs.values()]
        named += [event.receiver] if event.receiver is not None else []
        if event.what in WRITERS:
            message = f"{short(event.what)}() makes a run{place(event)}"
        elif event.what in MAKES_FOLDER and any(_is_by_time(value) for value in named):
            message = f"a folder named by the time is made{place(event)}"
        else:
            continue
        yield Finding(event.root, f"{message} at import: each worker makes its own", INTO_MAIN)


def _is_by_time(value: Value) -> bool:
    return any(isinstance(part, Instance) and part.qual in CLOCKS for part in parts(value, 6))


def late_variables(module: Module) -> Iterator[Finding]:
    """An environment variable that is set after a library has read it."""
    imported: dict[str, ast.AST] = {}
    touched: Event | None = None
    for event in module.trace.during(MAIN) or module.trace.during(CHILD):
        if event.kind == "import":
            imported.setdefault(event.what.split(".")[0], event.node)
        elif event.kind == "call" and touches(event.value):
            touched = touched or event
        elif event.kind == "setitem" and event.what == "os.environ":
            name = constant(event.args[0] if event.args else None)
            # In a function it is often meant for programs that are started from there.
            if not isinstance(name, str):
                continue
            if name in LATE_FOR_CUDA and touched is not None:
                if event.function is touched.function and surely_before(touched, event):
                    yield _late(event, name, "the accelerator was first used", touched.node)
                continue
            if event.stack:
                continue
            readers = [lib for lib in LATE_VARIABLES.get(name, ()) if lib in imported]
            if readers and not module.is_notebook:
                yield _late(event, name, f"{readers[0]} was imported", imported[readers[0]])


def _late(event: Event, name: str, what: str, where: ast.AST) -> Finding:
    return Finding(
        event.node,
        f"{name} is set after {what} (line {line_of(where)}), which does not read it again",
        "Set it before that import, or outside of the program.",
    )


RULES = [
    Rule("SPS601", "threads-at-import", "warning", ("FORK-3", "FORK-6"), threads, False),
    Rule("SPS602", "file-emptied-at-import", "error", ("LOG-2",), emptied_files, False),
    Rule("SPS603", "arguments-parsed-at-import", "warning", ("LOG-2",), parsed, False),
    Rule("SPS604", "run-by-time-at-import", "warning", ("LOG-2",), runs_by_time, False),
    Rule("SPS605", "environment-too-late", "warning", ("ENV-1",), late_variables),
]
