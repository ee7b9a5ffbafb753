"""The doctor's visit: machine, torch, project, one after the other; a table or JSON at the end."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from ..runtime.errors import ProjectError
from ..runtime.explain import with_program
from ..runtime.machine import read_machine
from ..runtime.program import PACKAGE
from ..runtime.start import current_start_method, prepare_workers
from .check import Check, exit_code
from .child import ask
from .install import check_packages, missing_modules
from .machine_checks import check_machine
from .project_checks import try_project
from .surroundings import read_surroundings
from .torch_checks import check_torch

TORCH_S = 120.0
"""Seconds that the import of torch may take."""
COLOURS = {"ok": "green", "warning": "yellow", "fault": "bold red"}


def examine(data_dir: Path, patience_s: float) -> Iterator[Check]:
    """Look at everything; what needs torch only if torch can be imported."""
    around = read_surroundings()
    try:
        prepare_workers(wanted=False)  # raises the limit of open files, as every run does
        method = current_start_method()
    except ProjectError as error:
        yield Check("start-method", "fault", str(error), "copier update")
        return
    yield check_packages(missing_modules())
    yield from check_machine(read_machine(), around, method)
    if around.temporary_folder is None:
        return  # no child could answer
    torch = ask("torch", TORCH_S)
    yield from check_torch(torch, around.nvidia, os.environ)
    if torch.result:
        device = torch.result["device"][0]
        yield from try_project(PACKAGE, data_dir.absolute(), device, patience_s)


def visit(data_dir: Path, patience_s: float, *, as_json: bool) -> int:
    """Print what was found; returns 1 if there is a fault, else 0.

    Args:
        data_dir: the folder with the data.
        patience_s: how long a batch may take before it counts as a stall.
        as_json: print a list for programs, in place of lines for people.
    """
    checks: list[Check] = []
    console = Console(highlight=False)
    for check in examine(data_dir, patience_s):
        checks.append(check._replace(cure=with_program(check.cure)))
        if not as_json:
            show(checks[-1], console)
    if as_json:
        print(json.dumps([check.as_dict() for check in checks], indent=2))
    else:
        show_sum(checks, console)
    return exit_code(checks)


def show(check: Check, console: Console) -> None:
    """Print a check as soon as it is done; more of it if something is wrong."""
    colour = COLOURS[check.state]
    console.print(
        f"[{colour}]{check.state:<8}[/] [bold]{check.id:<17}[/] {escape(check.sentence)}",
        soft_wrap=True,
    )
    if check.state != "ok":
        for label, text in (("cure", check.cure), ("more", check.page)):
            console.print(f"{'':26} {label}: {escape(text)}", soft_wrap=True)
        for line in check.details.splitlines():
            console.print(f"{'':26} [dim]{escape(line)}", soft_wrap=True)


def show_sum(checks: list[Check], console: Console) -> None:
    """Print how many of each kind there are."""
    counts = {state: sum(check.state == state for check in checks) for state in COLOURS}
    parts = [f"{count} {state}" for state, count in counts.items() if count]
    console.print(", ".join(parts), soft_wrap=True)
