"""Reads one table of a TOML file; Python 3.10 has no reader of its own."""

from __future__ import annotations

import ast
import re
import sys
from typing import Any


class TomlError(Exception):
    """The file is no TOML."""


def read_table(text: str, name: str) -> dict[str, Any] | None:
    """The table of that dotted name, with the tables below it; None if there is none."""
    if sys.version_info >= (3, 11):
        import tomllib

        try:
            table: Any = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise TomlError(str(error)) from None
        for part in name.split("."):
            table = table.get(part) if isinstance(table, dict) else None
        if table is not None and not isinstance(table, dict):
            raise TomlError(f"{name} is {table!r}, and no table")
        return table
    return read_table_simply(text, name)


HEADER = re.compile(r"^\s*\[([^\[\]]+)\]\s*(#.*)?$")
ENTRY = re.compile(r"""^\s*("[^"]+"|'[^']+'|[\w-]+)\s*=\s*(.*)$""")


def read_table_simply(text: str, name: str) -> dict[str, Any] | None:
    """The same for what this tool has in its table: texts, numbers, true and false, lists."""
    found: dict[str, Any] | None = None
    current: dict[str, Any] | None = None
    lines = iter(text.splitlines())
    for line in lines:
        header = HEADER.match(line)
        if header or line.lstrip().startswith("[["):
            title = header[1].strip().replace('"', "") if header else ""
            current = None
            if title == name:
                found = current = found if found is not None else {}
            elif title.startswith(f"{name}."):
                found = found if found is not None else {}
                current = found.setdefault(title[len(name) + 1 :], {})
            continue
        entry = ENTRY.match(line)
        if current is not None and entry:
            value = entry[2]
            while _is_open(value):
                following = next(lines, None)
                if following is None:
                    raise TomlError(f"the list of {entry[1]} is not closed")
                value += "\n" + following
            current[entry[1].strip("\"'")] = _value(value, entry[1])
    return found


def _is_open(value: str) -> bool:
    """Whether a list goes on in the next line."""
    bare = re.sub(r"""("[^"\n]*"|'[^'\n]*'|#[^\n]*)""", "", value)
    return bare.count("[") > bare.count("]")


def _value(text: str, key: str) -> Any:
    literal = re.sub(
        r"\b(true|false)\b(?=([^\"]*\"[^\"]*\")*[^\"]*$)", lambda m: m[0].title(), text
    )
    try:
        # Comments are the same in both languages.
        return ast.literal_eval(
            f"(\n{literal}\n)" if literal.strip()[:1] == "[" else literal.strip()
        )
    except (ValueError, SyntaxError):
        raise TomlError(f"the value of {key} is not understood: {text.strip()}") from None
