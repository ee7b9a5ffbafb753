"""What an expression stands for."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spawnsafe import attributes, calls, definitions, operators, targets
from spawnsafe.trace import WORKER
from spawnsafe.values import (
    UNKNOWN,
    Choice,
    Const,
    Instance,
    Joined,
    Many,
    Name,
    Scope,
    Value,
    choose,
    constant,
    options_of,
    truth,
)

if TYPE_CHECKING:
    from spawnsafe.machine import Machine

BUILTINS = frozenset(dir(builtins))
PASS_THROUGH = {"accelerate.Accelerator().prepare"}
"""Calls that give their arguments back."""
MOST_ITEMS = 200


def evaluate(machine: Machine, node: ast.expr, scope: Scope) -> Value:
    follow = FOLLOW.get(type(node))
    return UNKNOWN if follow is None else follow(machine, node, scope)


def evaluate_quietly(machine: Machine, node: ast.expr, scope: Scope) -> Value:
    """The value of a name or attribute that was evaluated before, without noting it again."""
    if isinstance(node, ast.Name):
        return find(machine, node.id, scope)
    if isinstance(node, ast.Attribute):
        return attributes.get(machine, evaluate_quietly(machine, node.value, scope), node.attr)
    return UNKNOWN


def find(machine: Machine, name: str, scope: Scope) -> Value:
    """Look a name up, as Python does; class bodies are not seen from functions inside them."""
    current: Scope | None = scope
    while current is not None:
        if name in current.names and (current.kind != "class" or current is scope):
            return current.names[name]
        if current.makes_local(name):
            return UNKNOWN
        current = current.outer
    if name == "__name__":
        return Const("__main__" if machine.as_main else "__mp_main__")
    return Name(f"builtins.{name}") if name in BUILTINS else UNKNOWN


def eval_name(machine: Machine, node: ast.Name, scope: Scope) -> Value:
    value = find(machine, node.id, scope)
    if machine.phase == WORKER and _is_global(machine, node.id, scope):
        machine.record("read", node.id, node, value=value)
    return value


def _is_global(machine: Machine, name: str, scope: Scope) -> bool:
    current: Scope | None = scope
    while current is not None and current.kind != "module":
        if name in current.names or current.makes_local(name):
            return False
        current = current.outer
    return name in machine.module.names


def eval_constant(machine: Machine, node: ast.Constant, scope: Scope) -> Value:
    return Const(node.value)


def eval_attribute(machine: Machine, node: ast.Attribute, scope: Scope) -> Value:
    owner = machine.evaluate(node.value, scope)
    value = attributes.get(machine, owner, node.attr)
    return attributes.read_property(machine, value, owner, node)


def eval_call(machine: Machine, node: ast.Call, scope: Scope) -> Value:
    return calls.evaluate_call(machine, node, scope)


def eval_sequence(machine: Machine, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Value:
    many = Many(node)
    for part in node.elts[:MOST_ITEMS]:
        if isinstance(part, ast.Starred):
            value = machine.evaluate(part.value, scope)
            calls.iterate(machine, value, part)
            many.items += value.items if isinstance(value, Many) else [UNKNOWN]
            many.open_ended = many.open_ended or not isinstance(value, Many)
        else:
            many.items.append(machine.evaluate(part, scope))
    return many


def eval_dict(machine: Machine, node: ast.Dict, scope: Scope) -> Value:
    many = Many(node, is_dict=True)
    for key, part in list(zip(node.keys, node.values, strict=True))[:MOST_ITEMS]:
        value = machine.evaluate(part, scope)
        if key is None:
            operators.merge(many, value)
        else:
            name = constant(machine.evaluate(key, scope))
            if isinstance(name, (str, int)):
                many.entries[name] = value
            else:
                many.items.append(value)
                many.open_ended = True
    return many


def eval_binary(machine: Machine, node: ast.BinOp, scope: Scope) -> Value:
    # A long chain of + nests to the left; it is walked without recursion.
    chain: list[ast.BinOp] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp):
        chain.append(left)
        left = left.left
    value = machine.evaluate(left, scope)
    for part in reversed(chain):
        value = operators.combine(part.op, value, machine.evaluate(part.right, scope))
    return value


def eval_unary(machine: Machine, node: ast.UnaryOp, scope: Scope) -> Value:
    value = machine.evaluate(node.operand, scope)
    if isinstance(node.op, ast.Not):
        verdict = truth(value)
        return UNKNOWN if verdict is None else Const(not verdict)
    number = constant(value)
    if isinstance(node.op, ast.USub) and isinstance(number, (int, float)):
        return Const(-number)
    return UNKNOWN


def eval_bool(machine: Machine, node: ast.BoolOp, scope: Scope) -> Value:
    """`and` and `or` leave out what stands after the operand that decides.

    One false operand makes a conjunction false, whatever is not known of those before it.
    """
    decides = isinstance(node.op, ast.Or)
    possible: list[Value] = []
    for part in node.values:
        value = machine.evaluate(part, scope)
        verdict = truth(value)
        if verdict is decides:
            result = choose([*possible, value])
            return Choice(result.options, decides) if isinstance(result, Choice) else result
        if verdict is None:
            possible.append(value)
        last = value
    return choose([*possible, last])


def eval_compare(machine: Machine, node: ast.Compare, scope: Scope) -> Value:
    left = machine.evaluate(node.left, scope)
    verdicts: list[bool | None] = []
    for op, part in zip(node.ops, node.comparators, strict=True):
        right = machine.evaluate(part, scope)
        if isinstance(op, (ast.In, ast.NotIn)) and not isinstance(right, Many):
            calls.iterate(machine, right, part)
        verdicts.append(operators.compare(op, left, right))
        left = right
    if False in verdicts:
        return Const(False)
    return UNKNOWN if None in verdicts else Const(True)


def eval_if(machine: Machine, node: ast.IfExp, scope: Scope) -> Value:
    verdict = truth(machine.evaluate(node.test, scope))
    if verdict is not None:
        return machine.evaluate(node.body if verdict else node.orelse, scope)
    machine.tests.append(node.test)
    values = [machine.evaluate(part, scope) for part in (node.body, node.orelse)]
    machine.tests.pop()
    return choose(values)


def eval_lambda(machine: Machine, node: ast.Lambda, scope: Scope) -> Value:
    return definitions.make_function(machine, node, scope)


def eval_comprehension(
    machine: Machine,
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
    scope: Scope,
) -> Value:
    """The loops, then one element. A generator too is followed at once: most are used up."""
    inner = Scope("function" if scope.kind == "function" else scope.kind, scope)
    for loop in node.generators:
        element = calls.iterate(machine, machine.evaluate(loop.iter, inner), loop.iter)
        targets.assign(machine, loop.target, element, inner)
        for test in loop.ifs:
            machine.evaluate(test, inner)
    if isinstance(node, ast.DictComp):
        machine.evaluate(node.key, inner)
        value = machine.evaluate(node.value, inner)
        return Many(node, [value], is_dict=True, open_ended=True)
    value = machine.evaluate(node.elt, inner)
    if isinstance(node, ast.GeneratorExp):
        return Instance(Name("builtins.generator"), node, [value])
    return Many(node, [value], open_ended=True)


def eval_subscript(machine: Machine, node: ast.Subscript, scope: Scope) -> Value:
    owner = machine.evaluate(node.value, scope)
    key = machine.evaluate(node.slice, scope)
    return choose([attributes.get_item(machine, o, key, node) for o in options_of(owner)])


def eval_text(machine: Machine, node: ast.JoinedStr, scope: Scope) -> Value:
    inner = [
        machine.evaluate(part.value if isinstance(part, ast.FormattedValue) else part, scope)
        for part in node.values
    ]
    return Joined(inner)


def eval_walrus(machine: Machine, node: ast.NamedExpr, scope: Scope) -> Value:
    value = machine.evaluate(node.value, scope)
    targets.assign(machine, node.target, value, scope)
    return value


def eval_yield(machine: Machine, node: ast.Yield, scope: Scope) -> Value:
    machine.frames[-1].yields.append(machine.evaluate(node.value, scope))
    return UNKNOWN


def eval_yield_from(machine: Machine, node: ast.YieldFrom, scope: Scope) -> Value:
    element = calls.iterate(machine, machine.evaluate(node.value, scope), node)
    machine.frames[-1].yields.append(element)
    return UNKNOWN


def eval_inner(machine: Machine, node: ast.Await | ast.Starred, scope: Scope) -> Value:
    return machine.evaluate(node.value, scope)


FOLLOW: dict[type, Callable[[Any, Any, Scope], Value]] = {
    ast.Name: eval_name,
    ast.Constant: eval_constant,
    ast.Attribute: eval_attribute,
    ast.Call: eval_call,
    ast.List: eval_sequence,
    ast.Tuple: eval_sequence,
    ast.Set: eval_sequence,
    ast.Dict: eval_dict,
    ast.BinOp: eval_binary,
    ast.UnaryOp: eval_unary,
    ast.BoolOp: eval_bool,
    ast.Compare: eval_compare,
    ast.IfExp: eval_if,
    ast.Lambda: eval_lambda,
    ast.ListComp: eval_comprehension,
    ast.SetComp: eval_comprehension,
    ast.GeneratorExp: eval_comprehension,
    ast.DictComp: eval_comprehension,
    ast.Subscript: eval_subscript,
    ast.JoinedStr: eval_text,
    ast.NamedExpr: eval_walrus,
    ast.Yield: eval_yield,
    ast.YieldFrom: eval_yield_from,
    ast.Await: eval_inner,
    ast.Starred: eval_inner,
}
