"""Checks one file: reads it, follows it, asks each rule, takes out what is suppressed."""

from __future__ import annotations

import ast
import gc
import sys
from dataclasses import dataclass, field
from pathlib import Path

from spawnsafe import rules
from spawnsafe.config import Settings, project_for
from spawnsafe.facts.triggers import FUNCTION_TRIGGERS, TRIGGERS
from spawnsafe.machine import follow
from spawnsafe.module import Finding, Module, Rule
from spawnsafe.source import (
    Source,
    UnreadableError,
    check_syntax,
    decode,
    parse,
    read_bytes,
    read_notebook,
)
from spawnsafe.suppress import MARK, Suppression, find_suppressions

MOST_RECURSION = 6000


@dataclass(frozen=True, order=True)
class Report:
    """A finding at its place; cell is 0 outside of notebooks."""

    cell: int
    line: int
    column: int
    code: str
    message: str
    cure: str


@dataclass
class Result:
    """All that is said about one file."""

    path: Path
    reports: list[Report] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def check_file(path: Path, settings: Settings) -> Result:
    """Check a file; whatever goes wrong with it is an error of its own."""
    result = Result(path)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, MOST_RECURSION))
    # Trees are large and die together: looking for garbage while they grow is time lost.
    collects = gc.isenabled()
    gc.disable()
    try:
        for source in _read(path):
            result.reports += check_source(path, source, settings)
            result.errors += source.errors
    except UnreadableError as error:
        result.errors.append(str(error))
    except (RecursionError, MemoryError):
        result.errors.append("it is nested too deeply to be followed")
    except Exception as error:
        # One file must not keep the others from being checked.
        result.errors.append(f"spawnsafe failed, please report it: {error!r}")
    finally:
        sys.setrecursionlimit(before)
        if collects:
            gc.enable()
    result.reports = sorted(set(result.reports))
    return result


def _read(path: Path) -> list[Source]:
    content = read_bytes(path)
    if path.suffix == ".ipynb":
        return read_notebook(content)
    text = decode(content)
    if not may_matter(text):
        check_syntax(text)
        return []
    return [Source(text, parse(text))]


def may_matter(text: str) -> bool:
    """Whether the text has any word that a rule is about."""
    return any(word in text for word in (*TRIGGERS, MARK))


def check_source(path: Path, source: Source, settings: Settings) -> list[Report]:
    """What the rules say about a text; what of it could not be followed is added to its errors."""
    if not may_matter(source.text):
        return []
    folder = path.absolute().parent
    alone = source.is_notebook or path.name == "__main__.py"
    module = Module(
        path,
        source.text,
        source.tree,
        follow(
            source.tree,
            guarded="__main__" in source.text,
            alone=alone,
            functions=any(word in source.text for word in FUNCTION_TRIGGERS),
        ),
        source.is_notebook,
        path.name == "__main__.py",
        project_for(folder, settings.frozen, settings.cuda),
    )
    if module.trace.is_cut_off:
        source.errors.append("it is too large to be followed to its end")
    codes = settings.codes_for(path.absolute())
    suppressions = find_suppressions(source.text, source.tree)
    lines = source.text.split("\n")
    reports: dict[tuple[str, int, int], Report] = {}
    for rule in rules.ALL:
        if rule.code in codes and not (module.is_notebook and not rule.in_notebooks):
            for finding in rule.check(module):
                report = _at_its_place(rule, finding, source, lines)
                if not _is_suppressed(rule, finding.node, suppressions):
                    reports.setdefault((rule.code, report.cell, report.line), report)
    found = list(reports.values())
    if rules.UNUSED in codes:
        found += [_unused(s, code, source) for s in suppressions for code in _idle(s, codes)]
    return found


def _at_its_place(rule: Rule, finding: Finding, source: Source, lines: list[str]) -> Report:
    line = getattr(finding.node, "lineno", 1)
    offset = getattr(finding.node, "col_offset", 0)
    text = lines[line - 1] if line <= len(lines) else ""
    column = len(text.encode()[:offset].decode(errors="replace")) + 1
    cell, line = source.where(line)
    return Report(cell, line, column, rule.code, finding.message, finding.cure)


def _is_suppressed(rule: Rule, node: ast.AST, suppressions: list[Suppression]) -> bool:
    for suppression in suppressions:
        if suppression.covers(node) and rule.code in suppression.codes:
            suppression.used.add(rule.code)
            return True
    return False


def _idle(suppression: Suppression, codes: frozenset[str]) -> list[str]:
    """What a suppression does not need: codes that suppress nothing; "" if it names none."""
    if not suppression.codes:
        return [""]
    return [
        code
        for code in suppression.codes
        if code not in suppression.used and (code in codes or code not in rules.BY_CODE)
    ]


def _unused(suppression: Suppression, code: str, source: Source) -> Report:
    cell, line = source.where(suppression.line)
    if not code:
        message, cure = "the comment names no code", "Write # spawnsafe: ignore[CODE]."
    elif code not in rules.BY_CODE:
        message, cure = f"no rule has the code {code}", "spawnsafe --rules lists the codes."
    else:
        message, cure = f"nothing is found here for {code}", "Take the comment out."
    return Report(cell, line, suppression.column + 1, rules.UNUSED, message, cure)
