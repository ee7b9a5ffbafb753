"""The command line: reads the settings, settles how workers start, runs the command."""

from __future__ import annotations

import faulthandler
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import tyro

from .config import EvaluateConfig, TrainConfig
from .doctor.child import PROBE
from .doctor.command import visit
from .doctor.probe import answer
from .runtime.errors import ProjectError, UsageError
from .runtime.explain import describe, explain
from .runtime.interrupt import interrupt_held
from .runtime.program import PROGRAM
from .runtime.settings import read_settings
from .runtime.start import prepare_workers


@dataclass(frozen=True)
class Train:
    """Train the model; results go to a new folder below runs/."""

    config: Path | None = None
    """TOML file with settings; flags override it."""
    resume: Path | None = None
    """Folder of a run, or a .pt file in it, to go on with; flags override its settings."""
    settings: Annotated[TrainConfig, tyro.conf.arg(name="")] = field(default_factory=TrainConfig)
    """Settings of the run."""


@dataclass(frozen=True)
class Evaluate:
    """Say how well a trained model does on the test set."""

    settings: Annotated[EvaluateConfig, tyro.conf.arg(name="")] = field(
        default_factory=EvaluateConfig
    )
    """What to evaluate, and how."""


@dataclass(frozen=True)
class Doctor:
    """Look at this machine and this project, and say what is wrong and how to mend it."""

    json: bool = False
    """Print it for programs."""
    data_dir: Path = field(default_factory=lambda: TrainConfig().data_dir)
    """Folder with the data."""
    patience_s: float = 20.0
    """Seconds that a batch may take before it counts as a stall."""


@dataclass(frozen=True)
class Explain:
    """Say what an error message usually means, and what to do."""

    text: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """The message, or all that the terminal shows; without it, what comes by stdin."""


Command = Train | Evaluate | Doctor | Explain


def run(arguments: Sequence[str]) -> int:
    """Run a command; returns the exit code: 0, 1 for an error, 2 for wrong use, 128 + a signal."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # paths may hold what its encoding does not
            stream.reconfigure(errors="backslashreplace")
    # A crash in C code shows its stack. By number, for sys.stderr may be none of the system's.
    faulthandler.enable(2)
    if arguments[:1] == [PROBE]:  # not for people: the doctor asks a child
        return answer(arguments[1:])
    try:
        match command := parse(arguments):
            case Train():
                train(command)
            case Evaluate():
                evaluate(command)
            case Doctor():
                return visit(command.data_dir, command.patience_s, as_json=command.json)
            case Explain():
                return explain_text(command)
    except ProjectError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt as stop:
        run_dir = getattr(stop, "run_dir", None)
        quoted = f'"{run_dir}"' if " " in str(run_dir) else run_dir
        saved = f"saved after the last step; go on with: {PROGRAM} train --resume {quoted}"
        lost = f"{PROGRAM} train --resume RUN goes on with a run that has saved something"
        print(f"stopped by {stop or 'SIGINT'}; {saved if run_dir else lost}", file=sys.stderr)
        return 128 + getattr(stop, "number", signal.SIGINT)  # as shells count it
    return 0


def parse(arguments: Sequence[str]) -> Command:
    """Read the command line; settings in a file take the place of the defaults."""
    command = parse_with_defaults(arguments, TrainConfig())
    if isinstance(command, Train):
        if command.config and command.resume:
            raise UsageError("--config and --resume each bring settings: give one of them.")
        file = command.config
        if command.resume:
            run = command.resume
            file = (run.parent if run.suffix == ".pt" else run) / "config.toml"
        if file:
            command = parse_with_defaults(arguments, parse_file(file))
    return command


def parse_file(file: Path) -> TrainConfig:
    """Read settings from a TOML file, and check them as flags are checked."""
    try:
        return tyro.cli(TrainConfig, args=read_settings(file), prog=f"{PROGRAM} train")
    except UsageError as error:
        raise UsageError(f"In {file}: {error}") from error
    except SystemExit:
        print(f"These settings come from {file}.", file=sys.stderr)
        raise


def parse_with_defaults(arguments: Sequence[str], settings: TrainConfig) -> Command:
    """Read the command line with the given defaults for `train`."""
    commands: dict[str, Command] = {"train": Train(settings=settings), "evaluate": Evaluate()}
    commands |= {"doctor": Doctor(), "explain": Explain()}
    descriptions = {name: str(command.__doc__) for name, command in commands.items()}
    command_type: Any = tyro.extras.subcommand_type_from_defaults(commands, descriptions)
    command: Command = tyro.cli(command_type, args=arguments or ["--help"], prog=PROGRAM)
    return command


def train(command: Train) -> None:
    """Train in a new folder, or in that of the run to resume, and test the best model."""
    settings = command.settings
    prepare_workers(wanted=settings.loader.num_workers != 0)
    with interrupt_held():
        # Imported only now: torch takes a second, and workers are getting ready meanwhile.
        from .runtime.report import Report
        from .train import fit

    fit(settings, Report(), resume=command.resume)


def evaluate(command: Evaluate) -> None:
    """Evaluate the best model of a run."""
    settings = command.settings
    prepare_workers(wanted=settings.loader.num_workers != 0)
    with interrupt_held():
        from .runtime.report import Report
        from .train import evaluate_run

    evaluate_run(settings, Report())


def explain_text(command: Explain) -> int:
    """Print what an error means; returns 1 if it is not known, as grep does."""
    if not command.text and sys.stdin.isatty():
        print("Paste the error, and end with a line that holds Ctrl-D or Ctrl-Z.", file=sys.stderr)
    row = explain(" ".join(command.text) or sys.stdin.read())
    if row is None:
        return 1
    print(describe(row))
    return 0
