"""Writes what was found: as text, for GitHub, as JSON, as SARIF."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from spawnsafe import __version__
from spawnsafe.check import Report, Result
from spawnsafe.rules import ALL, BY_CODE, UNUSED

Lines = Iterator[str]
BOLD, RED, YELLOW, DIM, END = "\033[1m", "\033[31m", "\033[33m", "\033[2m", "\033[0m"


def severity(code: str) -> str:
    return "warning" if code == UNUSED else BY_CODE[code].severity


def place(path: Path, report: Report) -> str:
    cell = f"cell {report.cell}:" if report.cell else ""
    return f"{in_one_line(path)}:{cell}{report.line}:{report.column}"


def in_one_line(path: Path) -> str:
    """A path as text; a line break in a name does not break the report."""
    return str(path).replace("\r", "\\r").replace("\n", "\\n")


def as_text(results: Iterable[Result], colour: bool) -> Lines:
    for result in results:
        for report in result.reports:
            where = place(result.path, report)
            if colour:
                shade = RED if severity(report.code) == "error" else YELLOW
                yield f"{BOLD}{where}{END}: {shade}{report.code}{END} {report.message}"
                yield f"{DIM}    {report.cure}{END}"
            else:
                yield f"{where}: {report.code} {report.message}"
                yield f"    {report.cure}"


def as_github(results: Iterable[Result], colour: bool) -> Lines:
    """Commands that GitHub Actions shows beside the lines."""
    for result in results:
        for report in result.reports:
            cell = f"cell {report.cell}, line {report.line}: " if report.cell else ""
            line = 1 if report.cell else report.line
            facts = f"file={_property(result.path.as_posix())},line={line},col={report.column}"
            title = f"title={_property(f'spawnsafe ({report.code})')}"
            message = _data(f"{cell}{report.code} {report.message}\n{report.cure}")
            yield f"::{severity(report.code)} {facts},{title}::{message}"
        for why in result.errors:
            path = _property(result.path.as_posix())
            yield f"::error file={path},title=spawnsafe::{_data(f'not checked: {why}')}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def as_json(results: Iterable[Result], colour: bool) -> Lines:
    """One list; a file that could not be checked is an entry without a code and a place."""
    entries = []
    for result in results:
        entries += [_entry(result.path, report) for report in result.reports]
        entries += [_unread_entry(result.path, why) for why in result.errors]
    yield json.dumps(entries, indent=2)


def _entry(path: Path, report: Report) -> dict[str, Any]:
    return {
        "path": str(path),
        "cell": report.cell or None,
        "line": report.line,
        "column": report.column,
        "code": report.code,
        "name": BY_CODE[report.code].name if report.code in BY_CODE else "unused-suppression",
        "severity": severity(report.code),
        "message": report.message,
        "cure": report.cure,
    }


def _unread_entry(path: Path, why: str) -> dict[str, Any]:
    empty = dict.fromkeys(("cell", "line", "column", "code", "cure"))
    told = {"path": str(path), "name": "not-checked", "severity": "error"}
    return {**told, **empty, "message": f"not checked: {why}"}


def as_sarif(results: Iterable[Result], colour: bool) -> Lines:
    rules: list[dict[str, Any]] = [
        {
            "id": rule.code,
            "name": rule.name,
            "shortDescription": {"text": rule.name.replace("-", " ")},
            "defaultConfiguration": {"level": rule.severity},
        }
        for rule in ALL
    ]
    unused = {"text": "unused suppression"}
    rules.insert(0, {"id": UNUSED, "name": "unused-suppression", "shortDescription": unused})
    results = list(results)
    failures = [_notification(result.path, why) for result in results for why in result.errors]
    run = {
        "tool": {"driver": {"name": "spawnsafe", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {"executionSuccessful": not failures, "toolExecutionNotifications": failures}
        ],
        "results": [_sarif(result.path, r) for result in results for r in result.reports],
    }
    yield json.dumps(
        {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
         "runs": [run]},
        indent=2,
    )  # fmt: skip


def _sarif(path: Path, report: Report) -> dict[str, Any]:
    cell = f"Cell {report.cell}, line {report.line}: " if report.cell else ""
    # Lines of a notebook's file are those of its JSON; the message tells the cell.
    line = 1 if report.cell else report.line
    place_ = {
        "artifactLocation": {"uri": _uri(path)},
        "region": {"startLine": line, "startColumn": report.column},
    }
    return {
        "ruleId": report.code,
        "level": severity(report.code),
        "message": {"text": f"{cell}{report.message}. {report.cure}"},
        "locations": [{"physicalLocation": place_}],
    }


def _uri(path: Path) -> str:
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _notification(path: Path, why: str) -> dict[str, Any]:
    """A file that could not be checked."""
    return {
        "level": "error",
        "message": {"text": f"not checked: {why}"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(path)}}}],
    }


FORMATS: dict[str, Callable[[Iterable[Result], bool], Lines]] = {
    "text": as_text,
    "github": as_github,
    "json": as_json,
    "sarif": as_sarif,
}
