"""One kind of plot: dots with their spread, one row for each thing measured, as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from .measuring import Spread

COLOURS = ("#0b6e99", "#d1495b", "#66a182", "#edae49", "#6b4e9b", "#8d6a4f", "#5f6b76", "#e07be0")
RIGHT, ROW, TOP, WIDTH = 30, 24, 66, 860
LETTER = 6.6
"""More than most letters take."""


@dataclass(frozen=True)
class Plot:
    """Dots by row and series.

    Args:
        name: of its file, without .svg.
        title: what is seen.
        axis: what the horizontal axis counts, with its unit.
        rows: for each row its name and the dot of each series that has one.
        logarithmic: whether each step of the axis is a factor.
        mark: where a vertical line stands.
    """

    name: str
    title: str
    axis: str
    rows: Sequence[tuple[str, dict[str, Spread]]]
    logarithmic: bool = True
    mark: float | None = None

    def text(self) -> str:
        """A terminal has the tables."""
        return ""

    def markdown(self) -> str:
        return f"![{self.title}](benchmarks/{self.name}.svg)"

    def svg(self) -> str:
        """The picture."""
        names = list(dict.fromkeys(name for _, dots in self.rows for name in dots))
        colours = {name: COLOURS[index % len(COLOURS)] for index, name in enumerate(names)}
        values = [v for _, dots in self.rows for dot in dots.values() for v in (dot.low, dot.high)]
        values += [self.mark] if self.mark is not None else []
        ticks = find_ticks(min(values), max(values), self.logarithmic)
        bottom = TOP + ROW * len(self.rows)
        left = 24 + LETTER * max(len(row) for row, _ in self.rows)

        def place(value: float) -> float:
            low, high = ticks[0], ticks[-1]
            if self.logarithmic:
                share = math.log(max(value, low) / low) / math.log(high / low)
            else:
                share = (value - low) / (high - low)
            return round(left + share * (WIDTH - left - RIGHT), 1)

        parts = [text_at(12, 20, self.title, weight="bold")]
        x = 12.0
        for name in names:
            parts += [dot_at(x + 4, 40, colours[name]), text_at(x + 13, 44, name)]
            x += 28 + LETTER * len(name)
        for tick in ticks:
            parts.append(line_at(place(tick), TOP - 8, place(tick), bottom, "#dddddd"))
            parts.append(text_at(place(tick), bottom + 16, f"{tick:g}", anchor="middle"))
        if self.mark is not None:
            parts.append(line_at(place(self.mark), TOP - 8, place(self.mark), bottom, "#333333"))
        parts.append(text_at((left + WIDTH) / 2, bottom + 34, self.axis, anchor="middle"))
        for index, (row, dots) in enumerate(self.rows):
            y = TOP + ROW * index + ROW / 2
            parts.append(text_at(left - 12, y + 4, row, anchor="end"))
            for name, dot in reversed(dots.items()):  # so that the first one is on top
                if dot.low < dot.high:
                    parts.append(line_at(place(dot.low), y, place(dot.high), y, colours[name]))
                parts.append(dot_at(place(dot.median), y, colours[name]))
        width = max(WIDTH, x)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{bottom + 46}" '
            f'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" '
            'fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
        )


def find_ticks(low: float, high: float, logarithmic: bool) -> list[float]:
    """Round numbers that enclose a range: 1, 2, 5, 10 for factors, even steps otherwise."""
    if logarithmic:
        low, high = max(low, 1e-9), max(high, 2e-9)
        powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
        steps = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
        first = max(step for step in steps if step <= low)
        last = min(step for step in steps if step >= high and step > first)
        return [step for step in steps if first <= step <= last]
    rough = max(high - min(low, 0), 1e-9) / 6
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= rough)
    first_step, last_step = math.floor(min(low, 0) / step), math.ceil(high / step)
    return [round(step * count, 9) for count in range(first_step, max(last_step, 1) + 1)]


def text_at(x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal") -> str:
    style = f'text-anchor="{anchor}" font-weight="{weight}" fill="#222222"'
    return f'<text x="{x:g}" y="{y:g}" {style}>{escape(text)}</text>'


def line_at(x: float, y: float, to_x: float, to_y: float, colour: str) -> str:
    place = f'x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}"'
    return f'<line {place} stroke="{colour}" stroke-width="1.5"/>'


def dot_at(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{colour}" fill-opacity="0.85"/>'
