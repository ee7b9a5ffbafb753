"""Seconds from what goes wrong to where the work goes on, with a peer beside it where there is one.

`python -m benchmarks.recovery` is a program whose worker is killed or stalls; signals are sent to
real runs of the project's own command.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .child import answer, ask_one, end_group, question
from .measuring import rounded, spread, take_turns
from .page import Block, Table, cell
from .rendered import PACKAGE, Bench, part, start_method, use_project

ROUNDS = 3
BATCH_MS, BATCHES, BATCH_SIZE, WORKERS = 20.0, 40, 4, 2
TIMEOUT_S = 4.0
"""What a batch may take, where one stalls: both loaders are told so."""
WAIT_S = 90.0

DEATHS = {
    "project, forkserver": "the project's loader, fork server",
    "project, spawn": "the project's loader, spawn",
    "torch, forkserver": "torch's DataLoader",
}
SIGNALS = {
    "first step": "start of a run to its first step (for comparison)",
    "SIGTERM, saved": "SIGTERM to the checkpoint on the disk",
    "SIGTERM, ended": "SIGTERM to the end of the program",
    "SIGKILL, again": "SIGKILL, and train --resume, to its first step",
}


def measure(bench: Bench) -> dict[str, Any]:
    """Seconds by what happened."""
    project, rounds = str(bench.project()), bench.rounds(ROUNDS)
    sides = [(event, side) for event in ("death", "stall") for side in DEATHS]
    if bench.quick:
        sides = [("death", "project, forkserver")]

    def lose(event: tuple[str, str]) -> dict[str, Any]:
        found: dict[str, Any] = ask_one("recovery", {"project": project, "event": event})
        print(*event, found, flush=True)
        return found

    lost = take_turns(sides, rounds, lose)
    runs = [signalled(Path(project), bench.folder / f"runs-{turn}") for turn in range(rounds)]
    return {
        "lost": [
            {"event": event, "side": side, "found": found} for (event, side), found in lost.items()
        ],
        "signals": {name: [run[name] for run in runs] for name in SIGNALS},
    }


def present(result: dict[str, Any]) -> list[Block]:
    """Two tables: workers that are lost, and programs that are signalled."""
    rows = []
    for row in result["lost"]:
        reported = spread([found["seconds"] for found in row["found"]])
        delivered = [found["delivered"] for found in row["found"] if "delivered" in found]
        rows.append(
            [
                f"{row['event']}, {DEATHS[row['side']]}",
                cell(reported) if row["event"] == "stall" or not delivered else "-",
                cell(spread(delivered)) if delivered else "-",
                " or ".join(sorted({found["ended"] for found in row["found"]})),
            ]
        )
    signals = [
        [text, cell(spread(result["signals"][name]))]
        for name, text in SIGNALS.items()
        if name in result["signals"]
    ]
    return [
        f"One of {WORKERS} workers is killed (SIGKILL) in the middle of a sample, or does not end "
        f"one: batches take {BATCH_MS:g} ms, and both loaders are told that one may take "
        f"{TIMEOUT_S:g} s, of which the project gives each of two tries a half. Seconds from that "
        "moment to the first message, and to the batch that the worker was at.",
        Table(["seconds", "to the message", "to the batch", "and then"], rows),
        "The project's own command, with its digits and a checkpoint after each step. `SIGKILL` "
        "cannot be answered: the time is that of a new program.",
        Table(["seconds", ""], signals),
    ]


def signalled(project: Path, runs: Path) -> dict[str, float]:
    """Seconds of what follows a signal, with three programs."""
    options = ["--epochs", "1000", "--save-every-steps", "1", "--runs-dir", str(runs)]
    found: dict[str, float] = {}

    started_s = time.time()
    child = start_run(project, options)
    found["first step"] = wait_for_step(child, runs, started_s) - started_s
    signal_s = time.time()
    child.send_signal(signal.SIGTERM)
    code = child.wait(WAIT_S)
    found["SIGTERM, ended"] = time.time() - signal_s
    if code != 128 + signal.SIGTERM:
        raise RuntimeError(f"after SIGTERM the run ended with {code}")
    run = next(runs.iterdir())
    found["SIGTERM, saved"] = (run / "last.pt").stat().st_mtime - signal_s

    child = start_run(project, [*options, "--resume", str(run)])
    wait_for_step(child, runs, time.time())
    kill_s = time.time()
    end_group(child)
    resumed_s = time.time()
    child = start_run(project, [*options, "--resume", str(run)])
    found["SIGKILL, again"] = wait_for_step(child, runs, resumed_s) - kill_s
    end_group(child)
    return {name: rounded(seconds) for name, seconds in found.items()}


def start_run(project: Path, options: list[str]) -> subprocess.Popen[str]:
    """Start the project's own command."""
    return subprocess.Popen(
        [sys.executable, "-m", PACKAGE, "train", *options],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project / "src")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def wait_for_step(child: subprocess.Popen[str], runs: Path, after_s: float) -> float:
    """When a checkpoint was written after some moment: each step is followed by one."""
    deadline_s = time.monotonic() + WAIT_S
    while time.monotonic() < deadline_s and child.poll() is None:
        for file in runs.glob("*/last.pt"):
            if (saved_s := file.stat().st_mtime) > after_s:
                return saved_s
        time.sleep(0.005)
    end_group(child)
    raise RuntimeError(f"no step within {WAIT_S:g} s, or the run ended: {child.poll()}")


def main() -> None:
    """Load an epoch in which a worker is lost, and say how long that took."""
    asked = question()
    event, side = asked["event"]
    use_project(asked["project"], warm=side == "project, forkserver")
    from .losing import WorkerLosing

    with tempfile.TemporaryDirectory() as folder:
        mark = Path(folder) / "lost"
        dataset = WorkerLosing(BATCHES * BATCH_SIZE, BATCH_MS / BATCH_SIZE, event, mark)
        reported_s: list[float] = []
        delivered_s, ended = 0.0, "it goes on"
        try:
            for number, _ in enumerate(batches_of(dataset, side, reported_s)):
                if number == dataset.lost_at // BATCH_SIZE:
                    delivered_s = time.time()
        except Exception as error:
            reported_s.append(time.time())
            ended = f"the run ends: {type(error).__name__}"
        lost_s = float(mark.read_text())
        at_s = delivered_s if event == "death" and delivered_s else reported_s[0]
        found = {"seconds": rounded(at_s - lost_s), "ended": ended}
        if delivered_s:
            found["delivered"] = rounded(delivered_s - lost_s)
        answer(found)


def batches_of(dataset: Any, side: str, reported_s: list[float]) -> Iterator[Any]:
    """The batches of one side, and when it reported that something was wrong."""
    name, _, method = side.partition(", ")
    if name == "torch":
        from torch.utils.data import DataLoader

        yield from DataLoader(
            dataset,
            BATCH_SIZE,
            num_workers=WORKERS,
            timeout=TIMEOUT_S,
            multiprocessing_context=method,
        )
        return

    def tell(text: str) -> None:
        if "a new one" in text:
            reported_s.append(time.time())

    with part("runtime.loader").BatchLoader(
        {"samples": dataset},
        BATCH_SIZE,
        num_workers=WORKERS,
        timeout_s=TIMEOUT_S,
        start_method=start_method(method),
        tell=tell,
    ) as loader:
        yield from loader.epoch("samples", 0)


if __name__ == "__main__":
    main()
