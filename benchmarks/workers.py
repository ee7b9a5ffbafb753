"""Total time of whole jobs: the automatic loader, fixed numbers of workers, rules, libraries.

Each round of a workload is a process of its own, in which every side does the whole job; another
side begins in each round.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from .child import ask
from .grow import grow
from .measuring import geometric_mean, rotated, rounded, spread
from .page import Bar, Block, Table, cell
from .plots import Plot
from .rendered import Bench

METHODS = ("forkserver", "spawn")
FIXED = (0, 1, 2, 4, 8)
PEERS = ("SPDL", "Grain", "StatefulDataLoader")
ROUNDS = 3
HOPELESS = 2.0
"""A side that took so many times the best of the first round is not measured again."""
QUICK = ("0.2 ms", "wait 3 ms, light step")
LIMIT_S = 1800.0
"""For all sides of a round; each has a limit of its own in jobs.py."""
ABOUT_EQUAL = 1.05
"""Two measurements of one thing differ by as much."""
WITHOUT_LOCK = "C code without the interpreter's lock runs in SPDL's threads, without any process"
ANY = "any"
WHY = {
    ("1 ms, in C", "SPDL"): WITHOUT_LOCK,
    ("JPEG 640 x 480", "SPDL"): WITHOUT_LOCK,
    ("device step", "SPDL"): "its threads start at once, a worker of spawn takes a second",
    ("wait 3 ms, only __getitem__", "SPDL"): (
        "it calls __getitem__ in threads; here threads call read() alone, which this data set does "
        "not have, for __getitem__ may draw random numbers"
    ),
    ("wait 3 ms, only __getitem__", ANY): "it has more workers, or begins with them",
    ("tiny", ANY): "each batch is seeded and minded, which takes 0.01 to 0.02 ms",
    ("5 ms, short", ANY): "the first batches are loaded and measured before workers start",
    ("JPEG 640 x 480", ANY): "the first batches are loaded and measured before workers start",
}
"""Why a rival is faster than the automatic loader, by workload and rival, where we know it."""


def fixed_side(count: int, method: str, *, kept: bool = True) -> str:
    """The name of a side: torch's DataLoader with so many workers."""
    return f"{count}{'' if kept else ' not kept'}, {method}" if count else "0"


def rules(cpus: int) -> dict[str, tuple[int, bool]]:
    """Rules in use: how many workers each takes, and whether they are kept between epochs."""
    return {
        "PyTorch's default, 0": (0, True),
        "min(4, cpu_count - 1), the popular snippet": (min(4, cpus - 1), False),
        "all CPUs": (cpus, False),
        "4, kept (timm's default)": (4, True),
        "min(cpus, 8), kept (ultralytics)": (min(cpus, 8), True),
    }


def sides(methods: Sequence[str], fixed: Sequence[int], epochs: int, cpus: int) -> list[str]:
    """All sides of a workload. With one epoch, to keep workers makes no difference."""
    wanted = []
    for method in methods:
        wanted += [f"automatic, {method}"]
        wanted += [fixed_side(count, method) for count in fixed]
        for count, kept in rules(cpus).values():
            wanted.append(fixed_side(count, method, kept=kept or epochs == 1))
        wanted += [f"StatefulDataLoader, {method}"]
    wanted += ["SPDL", "Grain"]
    return list(dict.fromkeys(wanted))


def peer_side(peer: str, method: str) -> str:
    """The name of a library's side; two of them have no start method to choose."""
    return f"{peer}, {method}" if peer == "StatefulDataLoader" else peer


def measure(bench: Bench) -> dict[str, Any]:
    """Seconds of every side of every workload."""
    from .pictures import draw_pictures
    from .workloads import GROWN, PICTURES, WORKLOADS

    methods = METHODS[:1] if bench.quick else METHODS
    fixed = FIXED[:2] if bench.quick else FIXED
    cpus, found = os.cpu_count() or 1, []
    for workload in WORKLOADS:
        if bench.only not in workload.name or bench.quick and workload.name not in QUICK:
            continue
        project, data = bench.project(workload.variant), None
        if workload.form == "jpeg":
            data = bench.folder / "pictures"
            if not data.exists():
                draw_pictures(data, PICTURES)
        elif workload.form:
            data = grow(project, workload.form, GROWN)
        asked = {
            "workload": workload.name,
            "project": str(project),
            "data": data and str(data),
            "batches": workload.batches // (10 if bench.quick else 1),
        }
        wanted = sides(methods, fixed, workload.epochs, cpus)
        row = measure_workload(asked, wanted, bench.rounds(ROUNDS))
        found.append({"workload": workload.name, "epochs": workload.epochs, **row})
        print(progress(found[-1]), flush=True)
    return {"methods": methods, "fixed": fixed, "cpus": cpus, "workloads": found}


def measure_workload(asked: dict[str, Any], wanted: list[str], rounds: int) -> dict[str, Any]:
    """Seconds by side, what failed, and what the automatic loader chose."""
    seconds: dict[str, list[float]] = {}
    problems: dict[str, str] = {}
    chosen: dict[str, str] = {}
    for turn in range(rounds):
        left = rotated(wanted, turn * max(1, len(wanted) // rounds))
        while left:
            answers, problem = ask("jobs", {**asked, "sides": left}, timeout_s=LIMIT_S)
            for said in answers:
                left.remove(said["side"])
                if "problem" in said:
                    problems[said["side"]] = said["problem"]
                    continue
                seconds.setdefault(said["side"], []).append(rounded(said["seconds"]))
                if said["told"]:
                    chosen[said["side"]] = said["told"]
            if problem and left:  # the side under way is to blame; the others come after it
                problems[left.pop(0)] = problem
            elif left:
                raise RuntimeError(f"{asked}: no answer for {left}")
        best_s = min((min(values) for values in seconds.values()), default=0.0)
        wanted = [
            side
            for side in wanted
            if side not in problems
            and (side.startswith("automatic") or seconds[side][0] <= HOPELESS * best_s)
        ]
    return {"seconds": seconds, "problems": problems, "chosen": chosen}


def progress(row: dict[str, Any]) -> str:
    """A line while it is measured."""
    medians = {side: spread(values).median for side, values in row["seconds"].items()}
    texts = [f"{side} {seconds:.2f}" for side, seconds in medians.items()]
    texts += [f"{side}: {problem}" for side, problem in row["problems"].items()]
    return f"{row['workload']}: " + "; ".join(texts)


def medians_of(row: dict[str, Any]) -> dict[str, float]:
    return {side: spread(values).median for side, values in row["seconds"].items()}


def rule_side(rule: tuple[int, bool], method: str, epochs: int) -> str:
    count, kept = rule
    return fixed_side(count, method, kept=kept or epochs == 1)


def present(result: dict[str, Any]) -> list[Block]:
    """Tables of seconds, the bars, and where others win."""
    blocks: list[Block] = [
        "Whole jobs, from making the loader to its end: the automatic loader beside torch's "
        "DataLoader with fixed numbers of workers, which are kept between epochs and start, under "
        "forkserver, from the project's warm server: the best that each number can be. "
        f"{len(result['workloads'])} workloads; those with a form of data are real files, the "
        "others compute (in Python, which holds the interpreter's lock, unless it says C) or wait "
        "for what a sample costs. The order of samples is the same for all. A side that took more "
        f"than {HOPELESS:g} times the best of the first round was not measured again."
    ]
    for method in result["methods"]:
        blocks += present_method(result, method)
    blocks += present_rivals(result)
    return blocks


def present_method(result: dict[str, Any], method: str) -> list[Block]:
    """One start method: automatic beside each fixed number."""
    automatic, fixed = f"automatic, {method}", result["fixed"]
    rows, ratios, dots = [], {}, []
    for row in result["workloads"]:
        found = {side: spread(values) for side, values in row["seconds"].items()}
        counts = [found.get(fixed_side(count, method)) for count in fixed]
        mine = found.get(automatic)
        if mine is None:
            rows.append([row["workload"], row["problems"].get(automatic, "failed"), *counts])
            continue
        best_s = min(s.median for s in counts if s)
        ratios[row["workload"]] = mine.median / best_s
        last = [f"{mine.median / best_s:.2f}", row["chosen"].get(automatic, "-")]
        rows.append([row["workload"], cell(mine), *map(cell, counts), *last])
        scaled = {"automatic": mine, **{str(n): s for n, s in zip(fixed, counts, strict=True) if s}}
        dots.append(
            (
                row["workload"],
                {
                    name: s._replace(
                        median=s.median / best_s, low=s.low / best_s, high=s.high / best_s
                    )
                    for name, s in scaled.items()
                },
            )
        )
    header = ["seconds", "automatic", *map(str, fixed), "automatic / best", "it ended with"]
    worst = max(ratios, key=lambda name: ratios[name])
    mean = geometric_mean(ratios.values())
    return [
        f"### Under {method}",
        Table(header, rows),
        Bar("geometric mean of automatic / best fixed number", 1.0, mean),
        Bar("the same, the goal", 0.8, mean),
        Bar(f"the worst, {worst!r}", 1.25, ratios[worst]),
        Plot(
            f"workers-{method}",
            f"Total time under {method}, beside the best fixed number of workers",
            "times the best fixed number (less is better)",
            dots,
            mark=1.0,
        ),
    ]


def present_rivals(result: dict[str, Any]) -> list[Block]:
    """Rules and libraries: geometric means, and each workload that one of them wins."""
    rows, wins, problems = [], [], []
    means: dict[tuple[str, str], dict[str, float]] = {}
    named = {**rules(result["cpus"]), **dict.fromkeys(PEERS)}
    for name, rule in named.items():
        cells = [name]
        for method in result["methods"]:
            ratios = {}
            for row in result["workloads"]:
                side = rule_side(rule, method, row["epochs"]) if rule else peer_side(name, method)
                medians = medians_of(row)
                if side in medians and f"automatic, {method}" in medians:
                    ratios[row["workload"]] = medians[f"automatic, {method}"] / medians[side]
                if side in row["problems"]:
                    problems.append(f"{name}, {row['workload']}: {row['problems'][side]}")
            if not ratios:
                cells += ["-", "-"]
                continue
            lost = {workload: ratio for workload, ratio in ratios.items() if ratio > 1.0}
            mean = geometric_mean(ratios.values())
            cells += [f"{mean:.2f}", f"{len(lost)} of {len(ratios)}"]
            means.setdefault((method, "rule" if rule else "library"), {})[name] = mean
            chosen = {row["workload"]: row["chosen"] for row in result["workloads"]}
            for workload, ratio in lost.items():
                why = reason(workload, name, ratio)
                setup = chosen[workload].get(f"automatic, {method}", "-")
                wins.append([f"{workload}, {method}", name, f"{ratio:.2f}", setup, why])
        rows.append(cells)
    bars = []
    for (method, kind), by_name in means.items():
        best = max(by_name, key=lambda name: by_name[name])
        claim = f"automatic / the best {kind} ({best}), {method}, geometric mean"
        bars.append(Bar(claim, 1.0, by_name[best]))
    header = ["automatic, times the other's time"]
    for method in result["methods"]:
        header += [f"{method}: geometric mean", "slower in"]
    blocks: list[Block] = [
        "### Beside rules and libraries",
        f"Rules on this machine, by its {result['cpus']} processors; SPDL loads by its own 8 "
        "threads, Grain picks its own number of processes, torchdata's loader has the 2 workers "
        "of its tutorial. SPDL and Grain have no start method to choose, and stand beside both. "
        "Only the automatic loader also seeds each batch and minds its workers.",
        Table(header, rows),
        *bars,
    ]
    if wins:
        ahead = [
            "where the other is faster",
            "the other",
            "automatic / other",
            "it ended with",
            "why",
        ]
        wins.sort(key=lambda line: -float(line[2]))
        blocks.append(Table(ahead, wins))
    if problems:
        blocks.append("Did not work: " + "; ".join(dict.fromkeys(problems)) + ".")
    return blocks


def reason(workload: str, rival: str, ratio: float) -> str:
    """Why a rival wins: written by hand where it is known."""
    if ratio <= ABOUT_EQUAL:
        return "about equal"
    return WHY.get((workload, rival)) or WHY.get((workload, ANY), "not known")
