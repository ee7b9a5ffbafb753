"""python -m benchmarks [PART ...]: measure, print tables, and write the page."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from .child import ROOT
from .facts import describe, read_facts
from .page import page, section, show
from .plots import Plot
from .rendered import Bench

PARTS = {
    "workers": "Choice of workers",
    "start": "Start",
    "memory": "Memory",
    "safety": "What safety costs",
    "recovery": "Recovery",
    "generation": "Generation",
    "checker": "The checker",
    "first_hour": "First hour",
}
"""Modules of this package, in the order of the page, and the titles of their sections."""
DOCS, TRIAL = ROOT / "docs", ROOT / "build" / "benchmarks"


def main() -> None:
    options = read_options()
    docs = options.docs or (TRIAL if options.quick else DOCS)
    if not options.show:
        bench = Bench(
            quick=options.quick,
            repeats=options.repeats,
            only=options.only,
            peers=dict(peer.split("=", 1) for peer in options.peer),
            sources=options.sources,
        )
        try:
            for name in options.parts or PARTS:
                measure(name, bench, docs)
        finally:
            shutil.rmtree(bench.folder, ignore_errors=True)
    print(f"\nWritten: {write_page(docs)}")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="nox -s bench --", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all")
    parser.add_argument("--quick", action="store_true", help="only try whether it works")
    parser.add_argument("--show", action="store_true", help="make the page from what is there")
    parser.add_argument("--docs", type=Path, help="folder for benchmarks.md and its files")
    parser.add_argument("--repeats", type=int, help="rounds, instead of each part's own number")
    parser.add_argument("--only", default="", help="part of the names of the workloads")
    help_text = "where another template is, as copier-uv=PATH, instead of GitHub"
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PATH", help=help_text)
    parser.add_argument("--sources", type=Path, help="folder that the checkers read")
    options = parser.parse_args()
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"there is no part {part!r}: expected some of {', '.join(PARTS)}")
    return options


def measure(name: str, bench: Bench, docs: Path) -> None:
    """Measure one part, print it, and keep what was found."""
    print(f"\n=== {PARTS[name]}: measuring ===", flush=True)
    facts, started_s = read_facts(), time.monotonic()
    result = import_module(f"{__package__}.{name}").measure(bench)
    facts["seconds"] = round(time.monotonic() - started_s)
    folder = docs / "benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"facts": facts, "result": result}, indent=1, ensure_ascii=False)
    (folder / f"{name}.json").write_text(compact(text) + "\n", encoding="utf-8")
    print(show(PARTS[name], import_module(f"{__package__}.{name}").present(result)), flush=True)


def compact(text: str) -> str:
    """Put each list of numbers on one line."""
    return re.sub(r"\[\s+([^][{}\"]+?)\s+\]", lambda m: f"[{' '.join(m[1].split())}]", text)


def write_page(docs: Path) -> Path:
    """Make the page, and its plots, from what was measured last of each part."""
    sections = []
    for name, title in PARTS.items():
        file = docs / "benchmarks" / f"{name}.json"
        if not file.exists():
            continue
        kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        blocks = import_module(f"{__package__}.{name}").present(kept["result"])
        for block in blocks:
            if isinstance(block, Plot):
                file.with_name(f"{block.name}.svg").write_text(block.svg(), encoding="utf-8")
        facts = kept["facts"]
        sections.append(section(title, blocks, f"{describe(facts)} Took {facts['seconds']} s."))
    docs.mkdir(parents=True, exist_ok=True)
    target = docs / "benchmarks.md"
    target.write_text(page(sections), encoding="utf-8")
    return target


if __name__ == "__main__":
    main()
