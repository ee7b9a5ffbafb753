"""Follows statements, one after the other."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spawnsafe import calls, definitions, expressions, targets
from spawnsafe.facts.names import canonical
from spawnsafe.facts.stars import names_of
from spawnsafe.values import UNKNOWN, Const, Instance, Name, Scope, truth

if TYPE_CHECKING:
    from spawnsafe.machine import Machine

CATCHERS = ("contextlib.suppress", "pytest.raises", ".assertRaises", ".assertRaisesRegex")
"""What goes on after an exception inside `with`."""
ENDINGS = {"sys.exit", "builtins.exit", "builtins.quit", "os._exit"}


def run_block(machine: Machine, body: list[ast.stmt], scope: Scope) -> bool:
    """Follow statements; whether they surely end the function or the program."""
    for statement in body:
        machine.step()
        if run_statement(machine, statement, scope):
            return True
    return False


def run_statement(machine: Machine, node: ast.stmt, scope: Scope) -> bool:
    """Follow one statement; whether what stands after it is not reached."""
    follow = FOLLOW.get(type(node))
    if follow is not None:
        return bool(follow(machine, node, scope))
    return False


def run_expression(machine: Machine, node: ast.Expr, scope: Scope) -> bool:
    machine.evaluate(node.value, scope)
    return isinstance(node.value, ast.Call) and _is_ending(machine, node.value, scope)


def _is_ending(machine: Machine, node: ast.Call, scope: Scope) -> bool:
    value = expressions.evaluate_quietly(machine, node.func, scope)
    return isinstance(value, Name) and value.qual in ENDINGS


def run_return(machine: Machine, node: ast.Return, scope: Scope) -> bool:
    value = machine.evaluate(node.value, scope) if node.value else Const(None)
    machine.frames[-1].returns.append(value)
    return True


def run_raise(machine: Machine, node: ast.Raise, scope: Scope) -> bool:
    if node.exc is not None:
        value = machine.evaluate(node.exc, scope)
        machine.record("raise", getattr(value, "qual", ""), node, value=value)
    return True


def run_leave(machine: Machine, node: ast.stmt, scope: Scope) -> bool:
    return True


def run_if(machine: Machine, node: ast.If, scope: Scope) -> bool:
    """Both branches, unless the condition is known; then go on with what either led to."""
    verdict = truth(machine.evaluate(node.test, scope))
    if verdict is not None:
        return machine.run(node.body if verdict else node.orelse, scope)
    otherwise = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
    ends, outcomes = [], []
    for test, body in ((node.test, node.body), (otherwise, node.orelse)):
        machine.tests.append(test)
        with machine.branch() as noted:
            ended = machine.run(body, scope)
        outcome = machine.undo(noted)
        machine.tests.pop()
        ends.append(ended)
        if not ended:
            outcomes.append(outcome)
    if len(outcomes) == 2 and not node.orelse and _tests_what_it_sets(node):
        outcomes = outcomes[:1]
    machine.join(outcomes)
    return all(ends)


def _tests_what_it_sets(node: ast.If) -> bool:
    """`if self.f is not None: self.f = None`: afterwards it is None in any case."""
    tested = {ast.dump(part) for part in ast.walk(node.test) if isinstance(part, ast.Attribute)}
    sets = [target for part in node.body if isinstance(part, ast.Assign) for target in part.targets]
    return any(ast.dump(target).replace("Store()", "Load()") in tested for target in sets)


def run_for(machine: Machine, node: ast.For | ast.AsyncFor, scope: Scope) -> bool:
    value = machine.evaluate(node.iter, scope)
    element = calls.iterate(machine, value, node.iter)
    targets.assign(machine, node.target, element, scope)
    machine.loops += 1
    machine.run(node.body, scope)
    machine.loops -= 1
    machine.run(node.orelse, scope)
    return False


def run_while(machine: Machine, node: ast.While, scope: Scope) -> bool:
    verdict = truth(machine.evaluate(node.test, scope))
    if verdict is False:
        return machine.run(node.orelse, scope)
    machine.loops += 1
    machine.run(node.body, scope)
    machine.loops -= 1
    return False


def run_try(machine: Machine, node: ast.Try, scope: Scope) -> bool:
    """The body, then each handler as a branch that may be taken."""
    # A handler that begins with raise catches nothing.
    caught = [_caught(h) for h in node.handlers if not isinstance(h.body[0], ast.Raise)]
    machine.handled += caught
    ended = machine.run(node.body, scope)
    del machine.handled[len(machine.handled) - len(caught) :]
    if not ended:
        ended = machine.run(node.orelse, scope)
    ends = [ended]
    for handler in node.handlers:
        with machine.branch() as noted:
            if handler.name:
                machine.store(scope.names, handler.name, UNKNOWN)
            ends.append(machine.run(handler.body, scope))
        outcome = machine.undo(noted)
        if not ends[-1]:
            machine.join([{}, outcome] if not ended else [outcome])
    return machine.run(node.finalbody, scope) or all(ends)


def _caught(handler: ast.ExceptHandler) -> str:
    return "" if handler.type is None else ast.unparse(handler.type)


def run_with(machine: Machine, node: ast.With | ast.AsyncWith, scope: Scope) -> bool:
    """What is entered is the same object, for all that matters here."""
    entered = []
    for item in node.items:
        value = machine.evaluate(item.context_expr, scope)
        value = calls.enter(machine, value, item.context_expr)
        entered.append(value)
        if item.optional_vars is not None:
            targets.assign(machine, item.optional_vars, value, scope)
    caught = [
        ast.unparse(item.context_expr)
        for value, item in zip(entered, node.items, strict=True)
        if isinstance(value, Instance) and value.qual.endswith(CATCHERS)
    ]
    machine.handled += caught
    ended = machine.run(node.body, scope)
    if caught:
        del machine.handled[len(machine.handled) - len(caught) :]
        return False
    return ended


def run_match(machine: Machine, node: ast.Match, scope: Scope) -> bool:
    """`match __name__` is a guard like any other; else each case may be the one."""
    subject = machine.evaluate(node.subject, scope)
    outcomes = []
    for case in node.cases:
        verdict = _matches(case.pattern, subject)
        if verdict is False:
            continue
        with machine.branch() as noted:
            ended = machine.run(case.body, scope)
        if verdict is True and case.guard is None:
            return ended
        outcome = machine.undo(noted)
        if not ended:
            outcomes.append(outcome)
    machine.join([{}, *outcomes])
    return False


def _matches(pattern: ast.pattern, subject: object) -> bool | None:
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
        return True
    if isinstance(pattern, ast.MatchOr):
        verdicts = [_matches(part, subject) for part in pattern.patterns]
        return True if True in verdicts else None if None in verdicts else False
    known = isinstance(subject, Const) and isinstance(pattern, ast.MatchValue)
    if known and isinstance(pattern.value, ast.Constant):  # type: ignore[attr-defined]
        return bool(subject.value == pattern.value.value)  # type: ignore[attr-defined]
    return None


def run_assign(machine: Machine, node: ast.Assign, scope: Scope) -> bool:
    value = machine.evaluate(node.value, scope)
    for target in node.targets:
        targets.assign(machine, target, value, scope)
    return False


def run_annotated(machine: Machine, node: ast.AnnAssign, scope: Scope) -> bool:
    if node.value is not None:
        targets.assign(machine, node.target, machine.evaluate(node.value, scope), scope)
    elif scope.kind == "class" and isinstance(node.target, ast.Name):
        scope.names.setdefault(node.target.id, UNKNOWN)
    return False


def run_augmented(machine: Machine, node: ast.AugAssign, scope: Scope) -> bool:
    targets.augment(machine, node, scope)
    return False


def run_delete(machine: Machine, node: ast.Delete, scope: Scope) -> bool:
    for target in node.targets:
        targets.delete(machine, target, scope)
    return False


def run_import(machine: Machine, node: ast.Import, scope: Scope) -> bool:
    for alias in node.names:
        machine.record("import", alias.name, node)
        qual = alias.name if alias.asname else alias.name.split(".")[0]
        targets.bind(
            machine, scope, alias.asname or qual, Name(canonical(qual), is_module=True), node
        )
    return False


def run_import_from(machine: Machine, node: ast.ImportFrom, scope: Scope) -> bool:
    module = "." * node.level + (node.module or "")
    machine.record("import", module, node)
    for alias in node.names:
        if alias.name == "*":
            for name in names_of(module):
                targets.bind(machine, scope, name, Name(canonical(f"{module}.{name}")), node)
            continue
        qual = f"{module}.{alias.name}" if module.strip(".") else f"{module}{alias.name}"
        # What stands under TYPE_CHECKING never runs.
        value = Const(False) if qual == "typing.TYPE_CHECKING" else Name(canonical(qual))
        targets.bind(machine, scope, alias.asname or alias.name, value, node)
    return False


def run_global(machine: Machine, node: ast.Global, scope: Scope) -> bool:
    scope.declared_global |= set(node.names)
    return False


def run_function(
    machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope
) -> bool:
    value = definitions.define_function(machine, node, scope)
    targets.bind(machine, scope, node.name, value, node)
    return False


def run_class(machine: Machine, node: ast.ClassDef, scope: Scope) -> bool:
    value = definitions.define_class(machine, node, scope)
    targets.bind(machine, scope, node.name, value, node)
    return False


def run_assert(machine: Machine, node: ast.Assert, scope: Scope) -> bool:
    return truth(machine.evaluate(node.test, scope)) is False


FOLLOW: dict[type, Callable[[Any, Any, Scope], bool]] = {
    ast.Expr: run_expression,
    ast.Return: run_return,
    ast.Raise: run_raise,
    ast.Break: run_leave,
    ast.Continue: run_leave,
    ast.If: run_if,
    ast.For: run_for,
    ast.AsyncFor: run_for,
    ast.While: run_while,
    ast.Try: run_try,
    ast.With: run_with,
    ast.AsyncWith: run_with,
    ast.Match: run_match,
    ast.Assign: run_assign,
    ast.AnnAssign: run_annotated,
    ast.AugAssign: run_augmented,
    ast.Delete: run_delete,
    ast.Import: run_import,
    ast.ImportFrom: run_import_from,
    ast.Global: run_global,
    ast.FunctionDef: run_function,
    ast.AsyncFunctionDef: run_function,
    ast.ClassDef: run_class,
    ast.Assert: run_assert,
}
if hasattr(ast, "TryStar"):
    FOLLOW[ast.TryStar] = run_try
