"""Tables, bars and plots: for the terminal, and for docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .measuring import Spread
from .plots import Plot

INTRODUCTION = """\
# Benchmarks

Made by `nox -s bench`, which prints the same tables; do not edit. `nox -s bench -- memory` measures
one part again and leaves the other sections as they were, each with its own date. All sides of a
comparison run in turn, in one run, so that a busy minute meets all of them. Numbers are medians,
with the smallest and the largest in brackets; what was measured once stands alone. A **bar** is
what this project set itself before it was measured; a missed one says so."""


@dataclass(frozen=True)
class Table:
    """A table: the first column names the rows, the others are numbers."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def text(self) -> str:
        """For a terminal."""
        lines = [self.header, *self.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.header))]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if column == 0 else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        )

    def markdown(self) -> str:
        rule = ["---"] + ["---:"] * (len(self.header) - 1)
        lines = [
            " | ".join(cell.replace("|", "\\|") for cell in line)
            for line in (self.header, rule, *self.rows)
        ]
        return "\n".join(f"| {line} |" for line in lines)


@dataclass(frozen=True)
class Bar:
    """What was set before it was measured, and what was found: at most `limit`."""

    claim: str
    limit: float
    found: float
    unit: str = ""

    @property
    def is_met(self) -> bool:
        return self.found <= self.limit

    def text(self) -> str:
        verdict = "met" if self.is_met else "MISSED"
        numbers = f"{self.found:.3g}{self.unit}, at most {self.limit:g}{self.unit}"
        return f"Bar {verdict}: {self.claim}: {numbers}"

    def markdown(self) -> str:
        verdict = "Bar met" if self.is_met else "Bar MISSED"
        return self.text().replace(self.text().split(":")[0], f"- **{verdict}**", 1)


Block = str | Table | Bar | Plot
"""A paragraph, a table, a bar, or a plot."""


def show(title: str, blocks: Sequence[Block]) -> str:
    """A section for a terminal."""
    texts = [block if isinstance(block, str) else block.text() for block in blocks]
    return "\n\n".join([f"== {title} ==", *filter(None, texts)])


def section(title: str, blocks: Sequence[Block], measured: str) -> str:
    """A section of the page."""
    texts: list[str] = [f"## {title}"]
    for block, before in zip(blocks, [None, *blocks], strict=False):
        text = block if isinstance(block, str) else block.markdown()
        if isinstance(block, Bar) and isinstance(before, Bar):  # one list
            texts[-1] += f"\n{text}"
        else:
            texts.append(text)
    return "\n\n".join([*texts, f"<sub>{measured}</sub>"])


def page(sections: Sequence[str]) -> str:
    """The whole page."""
    return "\n\n".join([INTRODUCTION, *sections]) + "\n"


def number(value: float, unit: str = "") -> str:
    """Three digits, and never as 1e+03."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return f"{value:,.{digits}f}{unit}"


def cell(found: Spread | None, unit: str = "") -> str:
    """A median with its spread."""
    if found is None:
        return "-"
    if found.runs == 1:
        return number(found.median, unit)
    between = "-" if found.low >= 0 else " to "
    return f"{number(found.median, unit)} ({number(found.low)}{between}{number(found.high)})"
