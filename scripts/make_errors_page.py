"""Writes docs/errors.md from the known errors in the template: scripts/make_errors_page.py"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "errors.md"
TABLE = ROOT / "template" / "src" / "{{package_name}}" / "runtime" / "known_errors.py"

HEAD = """# Known errors

What an error usually means, what to do, and how a generated project prevents it. `python -m PACKAGE
explain "TEXT"`, or `... explain < error.txt`, finds the row for any text, offline; when a run fails, its
traceback ends with the same words. Find a message here with your browser's search: "…" stands for what
differs from case to case.

This page is made by `scripts/make_errors_page.py` from `runtime/known_errors.py`.
"""


def load_table() -> ModuleType:
    """The table as it lies in the template, which no answer changes."""
    spec = importlib.util.spec_from_file_location("known_errors", TABLE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["known_errors"] = module  # where its own annotations are looked up
    spec.loader.exec_module(module)
    return module


def make_page() -> str:
    """The page: a section for each row, in the order of their ids."""
    sections = [HEAD]
    for row in sorted(load_table().KNOWN_ERRORS, key=lambda row: row.id):
        messages = "\n".join(text.replace("\n", "\n  … ") for text in row.texts)
        also = f" (also {', '.join(row.also)})" if row.also else ""
        sections.append(
            f"## {row.id}\n\n```text\n{messages}\n```\n\n"
            f"- **What it means**{also}: {escape(row.meaning)}\n"
            f"- **What to do**: {escape(row.cure)}\n"
            f"- **How a project prevents it**: {escape(row.prevented)}\n"
        )
    return "\n".join(sections)


def escape(sentence: str) -> str:
    """Keep __name__ and the like, outside of code, from becoming bold."""
    pieces = sentence.split("`")
    pieces[::2] = [re.sub(r"([_*<])", r"\\\1", piece) for piece in pieces[::2]]
    return "`".join(pieces)


if __name__ == "__main__":
    PAGE.write_text(make_page(), encoding="utf-8", newline="\n")
