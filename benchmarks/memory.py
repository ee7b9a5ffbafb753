"""Private memory of a worker, as the data grows 10 and 100 times, for each form of data.

Each number is a program of its own: two workers, under the warm fork server, load an epoch in a
random order; then the memory is read that a worker shares with no other process. With one worker
alone, mapped files would seem to be its own. `python -m benchmarks.memory` is that program. Beside
the projects' data sets stand two that people write.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .child import answer, ask, question
from .grow import grow
from .measuring import Spread, spread, take_turns
from .page import Block, Table, cell
from .plots import Plot
from .rendered import Bench, held_loader, part, use_project

FORMS = ("arrays", "images", "hdf5", "tabular", "stream")
USUAL = {
    "list of paths": "images",
    "plain array": "arrays",
}
"""What people write instead, and the form of data that it stands beside."""
FACTORS = (1, 10, 100)
ROUNDS = 1
BATCH_SIZE, WORKERS = 64, 2
LIMIT_S = 120.0


def measure(bench: Bench) -> list[dict[str, Any]]:
    """Bytes by form and factor."""
    forms = [*FORMS, *USUAL][: 1 if bench.quick else None]
    sides = [(form, factor) for factor in FACTORS[: 2 if bench.quick else None] for form in forms]

    def weigh(side: tuple[str, int]) -> dict[str, Any]:
        form, factor = side
        stored = USUAL.get(form, form)
        project = bench.project(stored)
        data = grow(project, stored, factor)
        asked = {"project": str(project), "data": str(data), "form": form}
        values, problem = ask("memory", asked, timeout_s=LIMIT_S)
        found: dict[str, Any] = {"problem": problem} if problem else values[0]
        print(form, factor, found, flush=True)
        return found

    found = take_turns(sides, bench.rounds(ROUNDS), weigh)
    return [
        {
            "form": form,
            "factor": factor,
            "samples": next((one["samples"] for one in all_found if "samples" in one), None),
            "bytes": [one["bytes"] for one in all_found if "bytes" in one],
            "problem": next((one["problem"] for one in all_found if "problem" in one), None),
        }
        for (form, factor), all_found in found.items()
    ]


def present(result: list[dict[str, Any]]) -> list[Block]:
    """A table and a plot."""
    forms = list(dict.fromkeys(row["form"] for row in result))
    factors = sorted({row["factor"] for row in result})
    found: dict[tuple[str, int], Spread] = {
        (row["form"], row["factor"]): spread([number / 1e6 for number in row["bytes"]])
        for row in result
        if row["bytes"]
    }
    rows = []
    for form in forms:
        samples = [str(row["samples"]) for row in result if row["form"] == form]
        cells = [cell(found.get((form, factor))) for factor in factors]
        medians = [found[form, factor].median for factor in factors if (form, factor) in found]
        rows.append(
            [name_of(form), " / ".join(samples), *cells, f"{medians[-1] - medians[0]:+.1f}"]
        )
    problems = [
        f"{row['form']} x {row['factor']}: {row['problem']}" for row in result if row["problem"]
    ]
    return [
        f"MB that a worker, the larger of {WORKERS}, shares with no other process, at the end of "
        "an epoch in random order, under the warm fork server. What a form of data needs besides "
        "its samples, such as a decoder, is in each number; the last column is what comes with "
        "the data.",
        Table(["MB", "samples", *(f"x {factor}" for factor in factors), "growth"], rows),
        *(["Did not work: " + "; ".join(problems)] if problems else []),
        Plot(
            "memory",
            "Private memory of a worker, as the data grows",
            "MB",
            [
                (name_of(form), {f"x {f}": found[form, f] for f in factors if (form, f) in found})
                for form in forms
            ],
            logarithmic=False,
        ),
    ]


def name_of(form: str) -> str:
    return f"usual: {form}" if form in USUAL else f"project: {form}"


def main() -> None:
    """Load an epoch, and weigh the workers."""
    asked = question()
    use_project(asked["project"])
    data = part("data").make_dataset(Path(asked["data"]), "train")
    if asked["form"] in USUAL:
        from .usual import ArrayInMemory, ListOfPaths

        data = (ListOfPaths if asked["form"] == "list of paths" else ArrayInMemory)(data)
    with held_loader(data, BATCH_SIZE, WORKERS) as loader:
        for _ in loader.epoch("train", 0, shuffle=True):
            pass
        answer({"samples": len(data), "bytes": worker_bytes()})


def worker_bytes() -> int:
    """Private memory of the larger worker: a child of the fork server, which is a child of this."""
    import psutil

    workers = [
        process
        for child in psutil.Process().children()
        for process in child.children()
        if "forkserver" in " ".join(process.cmdline())
    ]
    assert len(workers) == WORKERS, workers
    return max(int(worker.memory_full_info().uss) for worker in workers)


if __name__ == "__main__":
    main()
