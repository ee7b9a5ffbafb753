"""Programs that are frozen into an executable."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from spawnsafe import shipping
from spawnsafe.facts.effects import COSTLY, PARSES, READS_PATH, WINDOWS_FIRST
from spawnsafe.module import Finding, Module, Rule, line_of, short, starts_processes
from spawnsafe.rules.boot import framework_starts
from spawnsafe.trace import CHILD, MAIN, Event

FREEZE = "multiprocessing.freeze_support"
SAYS_FROZEN = r"(?i)_MEIPASS|sys\.frozen|sys,\s*[\"']frozen|freeze_support|pyinstaller|cx_freeze"
CURE = "Make multiprocessing.freeze_support() the first statement under the guard."


def missing(module: Module) -> Iterator[Finding]:
    """Only where the project, or the file itself, says that it is frozen."""
    is_entry = bool(module.project.entries) and module.path.resolve() in module.project.entries
    guard = _guard(module.tree) if module.is_guarded else None
    if guard is None and not is_entry:
        return
    if not (module.project.frozen or is_entry or module.mentions(SAYS_FROZEN)):
        return
    if any(event.what.endswith("freeze_support") for event in module.trace.events):
        return
    started = any(
        starts_processes(module, event) or framework_starts(module, event)
        for event in module.trace.during(MAIN, CHILD)
    )
    if started or is_entry:
        node: ast.AST = guard or (module.tree.body[0] if module.tree.body else module.tree)
        yield Finding(
            node,
            "freeze_support() is not called: in a frozen program each worker starts the whole"
            " program again",
            CURE,
        )


def _guard(tree: ast.Module) -> ast.If | None:
    for node in tree.body:
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            return node
    return None


def too_late(module: Module) -> Iterator[Finding]:
    for sequence in module.sequences:
        earlier: tuple[Event, str] | None = None
        for event in sequence:
            if event.kind == "call" and event.what == FREEZE:
                if earlier is not None:
                    first, reason = earlier
                    message = f"freeze_support() comes after {reason} (line {line_of(first.node)})"
                    yield Finding(
                        event.node, f"{message}, which every worker of a frozen program does", CURE
                    )
                break
            reason = _work(module, event)
            if reason and earlier is None:
                earlier = event, reason


def _work(module: Module, event: Event) -> str:
    """What must not come before freeze_support; "" if the step may."""
    if event.kind != "call":
        return ""
    if event.what in PARSES:
        return "arguments are parsed"
    if event.what in WINDOWS_FIRST:
        return "the window is opened"
    if event.what in COSTLY:
        return f"{short(event.what)}()"
    return "processes are started" if starts_processes(module, event) else ""


def relative_path(module: Module) -> Iterator[Finding]:
    """A literal relative path that a data set opens."""
    for event in module.trace.events:
        function = event.function
        if event.kind != "call" or function is None or function.owner is None:
            continue
        if event.what not in READS_PATH or not shipping.is_dataset(function.owner):
            continue
        if event.what == "pathlib.Path" and event.receiver is not None:
            continue  # A part of a path, as in path.with_suffix(".npy").
        node = event.node
        first = node.args[0] if isinstance(node, ast.Call) and node.args else None
        begin = _beginning(first, event.what not in ("os.path.join", "pathlib.Path"))
        if _is_relative(begin):
            yield Finding(
                event.node,
                f"the data set reads {begin!r}, which depends on the folder that each process"
                " is started in",
                "Pass an absolute path: Path(__file__).parent / ..., or a setting.",
            )


def _beginning(node: ast.AST | None, opens: bool) -> object:
    """The literal text that a path begins with; of parts of a path only a whole literal counts."""
    while opens and isinstance(node, (ast.BinOp, ast.JoinedStr, ast.Call)):
        if isinstance(node, ast.BinOp):
            node = node.left if isinstance(node.op, ast.Add) else None
        elif isinstance(node, ast.JoinedStr):
            first = node.values[0] if node.values else None
            text = first.value if isinstance(first, ast.Constant) else ""
            return text if isinstance(text, str) and "/" in text else ""
        else:
            joins = ast.unparse(node.func) in ("os.path.join", "osp.join") and node.args
            first = node.args[0] if joins else None
            text = first.value if isinstance(first, ast.Constant) else ""
            return f"{text}/" if isinstance(text, str) and text else ""
    return node.value if isinstance(node, ast.Constant) else ""


def _is_relative(path: object) -> bool:
    if not isinstance(path, str) or not path or path[0] in "/~\\" or ":" in path:
        return False
    return "/" in path or "." in path[1:]


RULES = [
    Rule("SPS501", "freeze-support-missing", "error", ("FRZ-1",), missing, False),
    Rule("SPS502", "freeze-support-late", "error", ("FRZ-2",), too_late, False),
    Rule("SPS503", "relative-path-in-data-set", "warning", ("FRZ-6",), relative_path),
]
