"""Comments that switch rules off in a line: `# spawnsafe: ignore[SPS301]`."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass, field

MARK = "spawnsafe:"
COMMENT = re.compile(r"#\s*spawnsafe:\s*(.*)$")
IGNORE = re.compile(r"ignore\[([^\]]*)\]")


@dataclass
class Suppression:
    """A comment, and which of its codes suppressed something."""

    line: int
    column: int
    codes: tuple[str, ...]
    used: set[str] = field(default_factory=set)


def find_suppressions(text: str) -> list[Suppression]:
    """All such comments of a text; one without codes has none."""
    if MARK not in text:
        return []
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            match = COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
            if match:
                listed = IGNORE.match(match[1].strip())
                codes = [code.strip() for code in listed[1].split(",")] if listed else []
                line, column = token.start
                found.append(Suppression(line, column, tuple(filter(None, codes))))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        pass
    return found


def header_lines(node: ast.AST) -> range:
    """The lines of a statement or expression; of a block only those before its body."""
    first: int = getattr(node, "lineno", 1)
    last: int = getattr(node, "end_lineno", first) or first
    body = getattr(node, "body", None)
    if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
        last = max(first, body[0].lineno - 1)
    return range(first, last + 1)
