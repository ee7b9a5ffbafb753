"""From the command to a trained model, in steps, and the size of what somebody has then.

Once: an environment is made, and the project is installed into it, with torch as constraints.txt
has it. pip's cache is warm if this environment was installed from it, as `nox -s bench` does.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from .child import ROOT
from .measuring import rounded
from .page import Block, Table, number
from .rendered import PACKAGE, Bench, render

LIMIT_S = 900.0
YOURS = ("config.py", "data.py", "model.py", "train.py")
EPOCH = re.compile(r"epoch +\d+/\d+ +loss")
"""How the line begins that follows an epoch."""
STEPS = {
    "render": "copier copy",
    "environment": "python -m venv",
    "install": "pip install -e . (torch and all that it needs)",
    "first epoch": "train, to the end of the first epoch",
    "train": "train, to the test of the best of 15 epochs",
}


def measure(bench: Bench) -> dict[str, Any]:
    """Seconds of each step, and the size of the project.

    Quick: the project is trained, for one epoch, where it is measured, and not installed.
    """
    project = bench.folder / "first-hour"
    seconds: dict[str, float] = {}

    def step(name: str, started_s: float) -> None:
        seconds[name] = rounded(time.perf_counter() - started_s)
        print(name, seconds[name], flush=True)

    started_s = time.perf_counter()
    render(project)
    step("render", started_s)
    sizes = weigh(project)
    python = sys.executable
    if not bench.quick:
        started_s = time.perf_counter()
        run([sys.executable, "-m", "venv", str(project / ".venv")], project)
        step("environment", started_s)
        scripts = "Scripts" if os.name == "nt" else "bin"
        python = str(project / ".venv" / scripts / "python")
        constraints = str(ROOT / "constraints.txt")
        started_s = time.perf_counter()
        run([python, "-m", "pip", "install", "-q", "-e", ".", "-c", constraints], project)
        step("install", started_s)

    started_s = time.perf_counter()
    accuracy = ""
    options = ["--epochs", "1"] if bench.quick else []
    with subprocess.Popen(
        [python, "-m", PACKAGE, "train", *options],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project / "src")},
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if EPOCH.match(line) and "first epoch" not in seconds:
                step("first epoch", started_s)
            if line.startswith("test accuracy"):
                accuracy = line.strip()
    if child.returncode:
        raise RuntimeError(f"the training ended with {child.returncode}")
    step("train", started_s)
    return {"seconds": seconds, "accuracy": accuracy, "sizes": sizes}


def run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=LIMIT_S)


def weigh(project: Path) -> dict[str, list[int]]:
    """Files and lines of the parts of a project."""
    source = project / "src" / PACKAGE
    parts = {
        "to read and change: " + ", ".join(YOURS): [source / name for name in YOURS],
        "to read: README.md": [project / "README.md"],
        "tests": sorted((project / "tests").glob("*.py")),
        "the template's, which updates change: runtime/": sorted(source.glob("runtime/*.py")),
        "the same: doctor/": sorted(source.glob("doctor/*.py")),
        "all but the data": [
            file
            for file in project.rglob("*")
            if file.is_file() and "data" not in file.relative_to(project).parts
        ],
    }
    return {
        name: [len(files), sum(file.read_bytes().count(b"\n") for file in files)]
        for name, files in parts.items()
    }


def present(result: dict[str, Any]) -> list[Block]:
    """Steps, and sizes."""
    seconds = result["seconds"]
    rows = [[text, number(seconds[name])] for name, text in STEPS.items() if name in seconds]
    total_s = sum(value for name, value in seconds.items() if name != "first epoch")
    sizes = [[name, str(files), f"{lines:,}"] for name, (files, lines) in result["sizes"].items()]
    return [
        "Default answers, on this machine, once; packages come from pip's cache. At the end: "
        f"{result['accuracy']}.",
        Table(["step", "seconds"], [*rows, ["all together", number(total_s)]]),
        Table(["what is generated", "files", "lines"], sizes),
    ]
