"""The benchmarks: their arithmetic, their page, and one part that is really measured."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from benchmarks import safety, workers
from benchmarks.__main__ import compact, write_page
from benchmarks.child import ask
from benchmarks.measuring import Spread, geometric_mean, rotated, rounded, spread, take_turns
from benchmarks.page import Bar, Table, cell, number, page, section, show
from benchmarks.plots import LETTER, Plot, find_ticks

from children import run_child
from rendering import ROOT

FACTS = {
    "date": "2026-01-31",
    "commit": "abc1234",
    "machine": "Linux, a processor",
    "cpus": 2,
    "memory_gb": 8,
    "load_before": 0.1,
    "python": "3.11.7",
    "versions": {"torch": "2.13.0", "spdl": None},
    "seconds": 12,
}
SAFETY = [
    {"workers": 1, "batch_ms": 1.0, "batches": 100, "bare": [1.0, 2.0], "safe": [1.1, 2.2]},
    {"workers": 1, "batch_ms": 10.0, "batches": 10, "bare": [1.0], "safe": [1.0]},
]


def workload(name: str, epochs: int, **seconds: list[float]) -> dict[str, Any]:
    """A row of results."""
    names = {
        "automatic": "automatic, spawn",
        "none": "0",
        "one": "1, spawn",
        "new_one": "1 not kept, spawn",
        "spdl": "SPDL",
    }
    by_side = {names[key]: values for key, values in seconds.items()}
    return {
        "workload": name,
        "epochs": epochs,
        "seconds": by_side,
        "problems": {"Grain": "exit code 1: no such module"},
        "chosen": {"automatic, spawn": "4 reading threads"},
    }


WORKERS = {
    "methods": ["spawn"],
    "fixed": [0, 1],
    "cpus": 2,
    "workloads": [
        workload("short", 1, automatic=[1.0, 1.2, 1.1], none=[2.2], one=[4.4], spdl=[0.55]),
        workload("long", 3, automatic=[3.0], none=[2.0], one=[8.0], new_one=[6.0], spdl=[3.0]),
    ],
}


def test_what_was_measured_is_a_median_with_its_spread() -> None:
    assert spread([3.0, 1.0, 2.0]) == Spread(2.0, 1.0, 3.0, 3)
    assert geometric_mean([0.5, 2.0]) == pytest.approx(1.0)
    assert rounded(1.23456) == 1.235
    assert cell(spread([1.0, 2.0, 4.0]), " s") == "2.00 s (1.00-4.00)"
    assert cell(spread([-2.0, -1.0, 1.0])) == "-1.00 (-2.00 to 1.00)"
    assert (cell(spread([2.0])), cell(None)) == ("2.00", "-")
    assert [number(value) for value in (0.1234, 12.34, 123.4, 12345.0)] == [
        "0.123",
        "12.3",
        "123",
        "12,345",
    ]


def test_all_sides_take_turns_and_another_begins_each_round() -> None:
    order: list[str] = []

    def measure(side: str) -> int:
        order.append(side)
        return len(order)

    found = take_turns(["a", "b", "c"], 2, measure)
    assert order == ["a", "b", "c", "b", "c", "a"]
    assert found == {"a": [1, 6], "b": [2, 4], "c": [3, 5]}
    assert rotated([], 3) == []


def test_tables_read_well_in_a_terminal_and_on_the_page() -> None:
    table = Table(["", "seconds"], [["a | b", "1"], ["c", "10"]])
    assert table.text().splitlines() == ["       seconds", "a | b        1", "c           10"]
    assert table.markdown().splitlines()[1:] == ["| --- | ---: |", "| a \\| b | 1 |", "| c | 10 |"]


def test_a_missed_bar_says_so() -> None:
    met, missed = Bar("start", 1.3, 1.3), Bar("cost", 1.05, 1.1)
    assert (met.is_met, missed.is_met) == (True, False)
    assert "MISSED" in missed.text() and "at most 1.05" in missed.text()
    text = section("Part", ["Words.", met, missed], "Measured.")
    assert "- **Bar met**: start" in text and "\n- **Bar MISSED**: cost: 1.1, at most 1.05" in text
    assert "Bar MISSED" in show("Part", [missed])
    assert page([text]).startswith("# Benchmarks")


@pytest.mark.parametrize(("low", "high"), [(0.3, 7.0), (1.0, 1.0), (1e-4, 2e3)])
@pytest.mark.parametrize("logarithmic", [True, False])
def test_ticks_enclose_what_is_plotted(low: float, high: float, logarithmic: bool) -> None:
    ticks = find_ticks(low, high, logarithmic)
    assert len(ticks) >= 2 and ticks[0] <= low and ticks[-1] >= high
    assert ticks == sorted(ticks)


def test_the_longest_name_of_a_row_has_room() -> None:
    name = "a long name of a row, as others have too, " * 2
    rows = [(name, {"one": spread([1.0])}), ("short", {"one": spread([2.0])})]
    svg = ElementTree.fromstring(Plot("name", "title", "seconds", rows).svg())
    texts = svg.findall("{http://www.w3.org/2000/svg}text")
    (end,) = {float(t.get("x", "")) for t in texts if t.get("text-anchor") == "end"}
    assert end >= LETTER * len(name)


def test_a_plot_is_a_picture_with_a_dot_for_each_median() -> None:
    rows = [("a < b", {"x": spread([1.0, 2.0, 3.0]), "y": spread([5.0])}), ("c", {})]
    svg = ElementTree.fromstring(Plot("name", "A & B", "seconds", rows, mark=1.0).svg())
    circles = svg.findall("{http://www.w3.org/2000/svg}circle")
    assert len(circles) == 2 + 2  # in the legend, and in the rows
    y, x = (float(circle.get("cx", "0")) for circle in circles[2:])  # the first one is on top
    assert x < y


def test_rules_take_the_number_and_the_habit_of_their_owners() -> None:
    assert list(workers.rules(2).values()) == [
        (0, True),
        (1, False),
        (2, False),
        (4, True),
        (2, True),
    ]
    assert workers.rules(16)["min(cpus, 8), kept (ultralytics)"] == (8, True)
    one = workers.sides(["spawn"], [0, 1], 1, cpus=2)
    many = workers.sides(["spawn"], [0, 1], 3, cpus=2)
    assert len(set(many)) == len(many)
    assert set(many) - set(one) == {"1 not kept, spawn", "2 not kept, spawn"}


def test_who_wins_where_is_told() -> None:
    blocks = workers.present(WORKERS)
    found = {block.claim: block for block in blocks if isinstance(block, Bar)}
    mean = found["geometric mean of automatic / best fixed number"]
    assert mean.found == pytest.approx((1.1 / 2.2 * 3.0 / 2.0) ** 0.5)
    assert not found["the worst, 'long'"].is_met
    library = found["automatic / the best library (SPDL), spawn, geometric mean"]
    assert library.found == pytest.approx((1.1 / 0.55) ** 0.5) and not library.is_met
    text = show("Choice", blocks)
    assert "4 reading threads" in text and "Grain, short: exit code 1" in text
    losses = next(b for b in blocks if isinstance(b, Table) and "why" in b.header)
    assert [row[:3] for row in losses.rows] == [
        ["short, spawn", "SPDL", "2.00"],
        ["long, spawn", "PyTorch's default, 0", "1.50"],
    ]


def test_the_page_is_made_from_what_was_measured(tmp_path: Path) -> None:
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    assert compact(json.dumps({"a": [1.5, 2]}, indent=1)) == '{\n "a": [1.5, 2]\n}'
    for name, result in {"safety": SAFETY, "workers": WORKERS}.items():
        text = json.dumps({"facts": FACTS, "result": result}, indent=1)
        assert json.loads(compact(text)) == {"facts": FACTS, "result": result}
        (folder / f"{name}.json").write_text(compact(text))
    text = write_page(tmp_path).read_text()
    assert text.index("## Choice of workers") < text.index("## What safety costs")
    assert "**Bar MISSED**: 1 worker, batches of 1 ms: 1.1, at most 1.05" in text
    assert "**Bar met**: 1 worker, batches of 10 ms: 1, at most 1.01" in text
    assert "2026-01-31 at commit abc1234" in text and "spdl" not in text.split("safety costs")[1]
    for plot in ("safety.svg", "workers-spawn.svg"):
        assert f"benchmarks/{plot}" in text
        ElementTree.parse(folder / plot)


def test_a_program_that_fails_is_a_problem_and_no_number() -> None:
    values, problem = ask("safety", {"unknown": 1})
    assert values == [] and problem is not None and "KeyError: 'project'" in problem


@pytest.mark.full
def test_a_part_can_be_measured(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks", "safety", "--quick"]
    ended = run_child([*command, "--docs", tmp_path], cwd=ROOT, timeout_s=400)
    assert ended.code == 0, ended.output
    kept = json.loads((tmp_path / "benchmarks" / "safety.json").read_text())
    (row,) = kept["result"]
    assert row["workers"] == 1 and row["bare"][0] > 0 and row["safe"][0] > 0
    assert safety.present(kept["result"])
    assert "## What safety costs" in (tmp_path / "benchmarks.md").read_text()
    assert not ended.left
