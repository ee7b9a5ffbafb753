"""Reads Python files and notebooks as text, without running anything."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class UnreadableError(Exception):
    """A file that cannot be checked; the message says why."""


@dataclass
class Source:
    """Text to check: a file, or the code cells of a notebook one below the other.

    Attributes:
        cells: for each line, the number of its cell and the line in it; empty for a file.
        errors: cells that are left out, since they do not parse.
    """

    text: str
    tree: ast.Module
    is_notebook: bool = False
    cells: list[tuple[int, int]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def where(self, line: int) -> tuple[int, int]:
        """The cell (0 for a file) and the line in it."""
        if not self.cells:
            return 0, line
        return self.cells[min(line, len(self.cells)) - 1]


def decode(content: bytes) -> str:
    """The text of a Python file in the encoding that it names, as Python reads it."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        text = content.decode(encoding)
    except SyntaxError as error:
        raise UnreadableError(f"it is not text that Python reads: {error.msg}") from None
    except (UnicodeDecodeError, LookupError) as error:
        raise UnreadableError(f"it is not text that Python reads: {error}") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse(text: str) -> ast.Module:
    """The syntax tree of a text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        where = f"line {error.lineno}: " if error.lineno else ""
        raise UnreadableError(f"it does not parse: {where}{error.msg}") from None
    except ValueError as error:
        raise UnreadableError(f"it does not parse: {error}") from None
    except (RecursionError, MemoryError):
        raise UnreadableError("it is nested too deeply to be parsed") from None


def check_syntax(text: str) -> None:
    """Raise UnreadableError as parse() does, in less time: nothing is made of the tree."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<checked>", "exec", dont_inherit=True, optimize=2)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        parse(text)


def read_bytes(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise UnreadableError("it is not a regular file")
        content = path.read_bytes()
    except FileNotFoundError:
        raise UnreadableError("it does not exist") from None
    except PermissionError:
        raise UnreadableError("no permission to read it") from None
    except OSError as error:
        raise UnreadableError(f"it cannot be read: {error.strerror or error}") from None
    if b"\0" in content[:8192] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnreadableError("it is a binary file, not Python")
    return content


def read_notebook(content: bytes) -> list[Source]:
    """The code of a notebook, and each file that a cell writes."""
    try:
        notebook = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"it is no notebook: {error}") from None
    cells = _code_cells(notebook)
    language = _language(notebook)
    if language and not language.lower().startswith(("python", "ipython")):
        return []
    source = Source("", ast.Module([], []), is_notebook=True)
    found = [source]
    lines: list[str] = []
    for number, text in cells:
        body = _without_magics(text)
        if text.lstrip().startswith(("%%writefile", "%%file")):
            found.append(_written_file(number, text))
            continue
        if body is None:
            continue
        try:
            parse(body)
        except UnreadableError as error:
            source.errors.append(f"cell {number} is left out: {error}")
            continue
        new = body.split("\n")
        lines += new
        source.cells += [(number, line) for line in range(1, len(new) + 1)]
    source.text = "\n".join(lines)
    source.tree = parse(source.text)
    return found


def _language(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    for part, key in (("language_info", "name"), ("kernelspec", "language")):
        entry = metadata.get(part)
        if isinstance(entry, dict) and isinstance(entry.get(key), str):
            return str(entry[key])
    return ""


def _code_cells(notebook: Any) -> list[tuple[int, str]]:
    """The code cells with their numbers, counted among all cells from 1."""
    if not isinstance(notebook, dict):
        raise UnreadableError("it is no notebook: there are no cells")
    # In format 3, they are in sheets.
    sheets = notebook.get("worksheets") if notebook.get("cells") is None else [notebook]
    cells: list[Any] = []
    for sheet in sheets if isinstance(sheets, list) else [None]:
        part = sheet.get("cells") if isinstance(sheet, dict) else None
        if not isinstance(part, list):
            raise UnreadableError("it is no notebook: there are no cells")
        cells += part
    found = []
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict):
            raise UnreadableError(f"it is no notebook: cell {number} is no object")
        if cell.get("cell_type") == "code":
            text = cell.get("source", cell.get("input", ""))
            text = "".join(map(str, text)) if isinstance(text, list) else str(text)
            found.append((number, text.replace("\r\n", "\n")))
    return found


PYTHON_CELLS = ("time", "timeit", "capture", "prun", "memit", "mprun", "snakeviz", "wandb")
LINE_MAGIC = re.compile(r"^(\s*)(%|!|\?)")
ASSIGNED_MAGIC = re.compile(r"^(\s*[\w.,\s\[\]'\"]+=\s*)[!%]")
TIMED = re.compile(r"^(\s*)%(?:time|timeit|prun|memit)\s+(?![-])(.*)$")


def _without_magics(text: str) -> str | None:
    """A cell as plain Python, line by line; None if it holds something else."""
    first = text.lstrip().split("\n", 1)[0]
    if first.startswith("%%"):
        name = first[2:].split()[0] if first[2:].split() else ""
        if name not in PYTHON_CELLS:
            return None
        text = text.replace(first, "", 1)
    try:
        parse(text)
        return text
    except UnreadableError:
        pass
    lines = []
    continued = False
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        timed = TIMED.match(line)
        if continued:
            lines.append("")
        elif timed:
            lines.append(timed[1] + timed[2])
        elif LINE_MAGIC.match(line) or re.match(r"^\s*[\w.]+\?{1,2}\s*$", line):
            lines.append(f"{indent}pass")
        elif ASSIGNED_MAGIC.match(line):
            lines.append(ASSIGNED_MAGIC.sub(r"\1None #", line))
        else:
            lines.append(line)
            continue
        continued = line.rstrip().endswith("\\")
    return "\n".join(lines)


def _written_file(number: int, text: str) -> Source:
    """The module that %%writefile writes."""
    body = text.split("\n", 1)[1] if "\n" in text else ""
    lead = text[: len(text) - len(text.lstrip())].count("\n")
    first = 2 + lead
    name = text.split("\n")[lead].split()[-1]
    count = body.count("\n") + 1
    cells = [(number, line) for line in range(first, first + count)]
    empty = Source("", ast.Module([], []), cells=[(number, 1)])
    if not name.endswith(".py"):
        return empty
    try:
        return Source(body, parse(body), cells=cells)
    except UnreadableError as error:
        empty.errors.append(f"cell {number} is left out: {error}")
        return empty
