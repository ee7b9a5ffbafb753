"""spawnsafe beside TorchFix and ruff: their speed on the same files, and what each finds in cases.

By default they read a part of the torch that is installed, so that everybody reads the same;
--sources names another folder. Each runs on one processor, without a cache. TorchFix takes long and
gets a limit: where it does not come to its end, its speed is the most that it can be.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from .child import ROOT
from .measuring import rounded, spread
from .page import Block, Table, cell
from .rendered import Bench

CASES = ROOT / "tests" / "spawnsafe_corpus"
PARTS_OF_TORCH = ("utils", "multiprocessing", "optim", "distributions")
"""What is read by default."""
ROUNDS = 3
LIMIT_S = 60.0


def commands(folder: Path) -> dict[str, list[str]]:
    """What is run, by the name of the checker."""
    ruff = [sys.executable, "-m", "ruff", "check", "--no-cache", "--isolated", "--exit-zero"]
    own = [sys.executable, "-m", "spawnsafe", "--no-cache", "--jobs", "1"]
    torchfix = shutil.which("torchfix", path=os.path.dirname(sys.executable)) or "torchfix"
    return {
        "spawnsafe": [*own, "--format", "json", str(folder)],
        "TorchFix, all rules": [torchfix, "--select=ALL", str(folder)],
        "ruff, all rules": [*ruff, "--select", "ALL", "--output-format", "json", str(folder)],
        "ruff, its own choice": [*ruff, "--output-format", "json", str(folder)],
    }


def measure(bench: Bench) -> dict[str, Any]:
    """Seconds by checker, and the codes that each reports on safe and unsafe files."""
    folder = bench.sources or collect_sources(bench.folder / "torch", quick=bench.quick)
    files = sorted(folder.rglob("*.py"))
    lines = sum(file.read_bytes().count(b"\n") for file in files)
    rounds = bench.rounds(ROUNDS)
    seconds: dict[str, list[float]] = {}
    cut: list[str] = []
    problems: dict[str, str] = {}
    for turn in range(rounds):
        for name, command in commands(folder).items():
            if name in problems or name in cut:  # once is enough
                continue
            started_s = time.perf_counter()
            try:
                run(command, 5.0 if bench.quick else LIMIT_S)
            except subprocess.TimeoutExpired:
                cut.append(name)
            except OSError as error:
                problems[name] = str(error)
                continue
            seconds.setdefault(name, []).append(rounded(time.perf_counter() - started_s))
            print(turn, name, seconds[name], flush=True)
    found: dict[str, dict[str, Any]] = {}
    # Copied, since this repository's own settings exclude them.
    cases = bench.folder / "cases"
    shutil.copytree(CASES, cases)
    for kind in ("unsafe", "safe"):
        found[kind] = {
            name: look(name, command, cases / kind)
            for name, command in commands(cases / kind).items()
            if name not in problems
        }
        found[kind]["files"] = len(list((cases / kind).rglob("*.py")))
    return {
        "sources": f"{', '.join(path.name for path in sorted(folder.iterdir()))} in {folder.name}",
        "files": len(files),
        "lines": lines,
        "seconds": seconds,
        "cut": cut,
        "problems": problems,
        "found": found,
    }


def collect_sources(folder: Path, *, quick: bool) -> Path:
    """Copy parts of torch, so that no configuration lies above them."""
    spec = importlib.util.find_spec("torch")
    assert spec is not None and spec.origin is not None
    torch = Path(spec.origin).parent
    for name in PARTS_OF_TORCH[1 : 2 if quick else None]:
        shutil.copytree(torch / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def run(command: list[str], limit_s: float) -> str:
    """What a checker prints, which runs on one processor."""
    if hasattr(os, "sched_setaffinity"):
        pin = "import os, sys; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); "
        pin += "os.execvp(sys.argv[1], sys.argv[1:])"
        command = [sys.executable, "-c", pin, *command]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "hooks")}
    done = subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", timeout=limit_s
    )
    return done.stdout


def look(name: str, command: list[str], folder: Path) -> dict[str, Any]:
    """How many files of a folder are reported, and how often each code."""
    try:
        output = run(command, LIMIT_S)
    except subprocess.TimeoutExpired:
        return {"problem": f"did not end within {LIMIT_S:g} s"}
    codes, files = read_findings(name, output)
    return {"reported": len(files), "codes": dict(Counter(codes).most_common())}


def read_findings(name: str, output: str) -> tuple[list[str], set[str]]:
    """The code of each finding, and the files that have one."""
    if name.startswith("TorchFix"):  # path:line:column: CODE message
        lines = [line.split(": ", 1) for line in output.splitlines() if ".py:" in line]
        codes = [message.split()[0] for _, message in lines]
        return codes, {place.split(".py:")[0] for place, _ in lines}
    findings = json.loads(output)
    paths = {finding.get("path") or finding.get("filename") for finding in findings}
    return [finding["code"] for finding in findings], paths


def present(result: dict[str, Any]) -> list[Block]:
    """Speed, and what is found."""
    speed, found = [], []
    for name, seconds in result["seconds"].items():
        took = spread(seconds)
        per_s = f"{result['lines'] / took.median:,.0f}"
        is_cut = name in result["cut"]
        speed.append([name, f"over {took.median:.0f}" if is_cut else cell(took)])
        speed[-1].append(f"under {per_s}" if is_cut else per_s)
    unsafe, safe = result["found"]["unsafe"], result["found"]["safe"]
    for name in result["seconds"]:
        row = [name]
        for kind in (unsafe, safe):
            row.append(str(kind[name].get("reported", kind[name].get("problem"))))
        codes = unsafe[name].get("codes", {})
        shown = ", ".join(f"{code} {times}" for code, times in list(codes.items())[:6])
        found.append([*row, f"{len(codes)}", shown])
    problems = [f"{name}: {problem}" for name, problem in result["problems"].items()]
    return [
        f"{result['files']} files with {result['lines']:,} lines ({result['sources']}), on one "
        "processor, without a cache.",
        Table(["checker", "seconds", "lines per second"], speed),
        f"The cases: {unsafe['files']} files that fail under spawn or forkserver, or do so on "
        f"some systems, and {safe['files']} that do not. We wrote them, along with spawnsafe, so "
        "that its own numbers only say that it does what it should; what the others say of these "
        "files tells whether they are about the same mistakes. ruff with all rules finds "
        "something of style in nearly every file.",
        Table(
            ["checker", "unsafe files reported", "safe files reported", "codes", "most often"],
            found,
        ),
        *(["Did not run: " + "; ".join(problems)] if problems else []),
    ]
