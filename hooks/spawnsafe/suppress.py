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
    first_line: int
    used: set[str] = field(default_factory=set)

    def covers(self, node: ast.AST) -> bool:
        """Whether it stands in a line of the node, or ends the statement that the node begins in."""
        begins: int = getattr(node, "lineno", 1)
        return self.line in header_lines(node) or self.first_line <= begins <= self.line


def find_suppressions(text: str, tree: ast.Module) -> list[Suppression]:
    """All such comments of a text; one without codes has none."""
    if MARK not in text:
        return []
    found = []
    begins = _statements_by_last_line(tree)
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            match = COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
            if match:
                listed = IGNORE.match(match[1].strip())
                codes = [code.strip() for code in listed[1].split(",")] if listed else []
                line, column = token.start
                listed_codes = tuple(filter(None, codes))
                found.append(Suppression(line, column, listed_codes, begins.get(line, line)))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        pass
    return found


def _statements_by_last_line(tree: ast.Module) -> dict[int, int]:
    """Where each statement begins, by the line that it ends in; of a block its header."""
    lines = [header_lines(node) for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return {span[-1]: span[0] for span in lines}


def header_lines(node: ast.AST) -> range:
    """The lines of a statement or expression; of a block only those before its body."""
    first: int = getattr(node, "lineno", 1)
    last: int = getattr(node, "end_lineno", first) or first
    body = getattr(node, "body", None)
    if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
        last = max(first, body[0].lineno - 1)
    return range(first, last + 1)
