"""YOURS. Every setting of a run: its name, default and meaning; `train --help` is made from it.

Names carry their units. A value that cannot work is refused here, before any process starts.
This file imports neither torch nor numpy, so that `--help` answers at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from .runtime.errors import UsageError
from .runtime.machine import project_folder


def require(condition: bool, name: str, value: Any, expected: str, cure: str) -> None:
    """Raise a UsageError that names the setting, its value, what was expected and the cure."""
    if not condition:
        raise UsageError(f"{name} is {value!r}, but expected {expected}. {cure}")


def require_batch_size(batch_size: int) -> None:
    cure = "32 is a good start; halve it if memory runs out."
    require(batch_size >= 1, "batch-size", batch_size, "1 or more", cure)


def require_device_name(device: str) -> None:
    possible = re.fullmatch(r"auto|cpu|(cuda|xpu|mps)(:\d+)?", device) is not None
    expected = "auto, cpu, cuda, xpu or mps, with a number as in cuda:1 for one of several"
    require(possible, "device", device, expected, "auto takes the accelerator if there is one.")


@dataclass(frozen=True)
class LoaderConfig:
    """How batches are loaded. The result never depends on these, only the speed does."""

    num_workers: int | Literal["auto"] = "auto"
    """Processes that load data; 0 loads in the main process, auto decides from the machine."""
    reading_threads: int | Literal["auto"] = "auto"
    """Threads that read ahead, in the main process or in each worker; auto measures."""
    timeout_s: float = 120.0
    """Seconds that a batch may take to load, a second try in another worker included."""

    def __post_init__(self) -> None:
        workers, timeout_s = self.num_workers, self.timeout_s
        possible = workers == "auto" or 0 <= workers <= 1024
        expected = "auto, or a number from 0 to 1024"
        require(possible, "loader.num-workers", workers, expected, "auto lets the machine decide.")
        threads = self.reading_threads
        possible = threads == "auto" or 0 <= threads <= 256
        expected = "auto, or a number from 0 to 256"
        require(possible, "loader.reading-threads", threads, expected, "auto measures.")
        expected, cure = "a number above 0, up to 86400 (a day)", "120 is a good start."
        require(0 < timeout_s <= 86400, "loader.timeout-s", timeout_s, expected, cure)


@dataclass(frozen=True)
class TrainConfig:
    """Train the model; results go to a new folder below runs/."""

    data_dir: Path = field(default_factory=lambda: project_folder() / "data")
    """Folder with the data."""
    epochs: int = 15
    """Passes over the training set."""
    batch_size: int = 32
    """Samples in a batch."""
    learning_rate: float = 2e-3
    """Step size of the optimizer at the start; it falls to 0 along half a cosine."""
    weight_decay: float = 1e-2
    """Strength of AdamW's weight decay."""
    augment: bool = True
    """Shift each training image at random by up to one pixel."""
    seed: int = 0
    """Everything random is drawn from this number."""
    device: str = "auto"
    """Where to train: auto, cpu, or an accelerator such as cuda, cuda:1, xpu or mps."""
    amp: bool = False
    """Mixed precision: compute in bfloat16 where that is safe."""
    compile: bool = False
    """Compile the model with torch.compile: a slow first step, then faster ones."""
    runs_dir: Path = Path("runs")
    """Folder in which each run makes a folder for its results."""
    save_every_s: float = 60.0
    """Seconds of an epoch after which the run is saved; it is saved after each epoch too."""
    save_every_steps: int = 0
    """The same, counted in batches; 0 goes by the time alone."""
    loader: LoaderConfig = field(default_factory=LoaderConfig)
    """How batches are loaded."""

    def __post_init__(self) -> None:
        require(self.epochs >= 1, "epochs", self.epochs, "1 or more", "1 is a quick try.")
        require_batch_size(self.batch_size)
        require_device_name(self.device)
        rate, decay = self.learning_rate, self.weight_decay
        expected, cure = "a number above 0, up to 1000", "0.002 is a good start."
        require(0 < rate <= 1000, "learning-rate", rate, expected, cure)
        possible = 0 <= decay < float("inf")
        require(possible, "weight-decay", decay, "a number of 0 or more", "0 switches it off.")
        expected, cure = "a number above 0", "60 is a good start."
        require(self.save_every_s > 0, "save-every-s", self.save_every_s, expected, cure)
        expected, cure = "0 or more", "0 goes by the time alone."
        require(
            self.save_every_steps >= 0, "save-every-steps", self.save_every_steps, expected, cure
        )
        possible = 0 <= self.seed < 2**32
        require(possible, "seed", self.seed, "a number from 0 to 4294967295", "0 will do.")


@dataclass(frozen=True)
class EvaluateConfig:
    """Say how well a trained model does on the test set."""

    run_dir: Path | None = None  # as --run, torchrun would take it for its own --run-path
    """Folder of the run; by default the newest one below runs-dir."""
    runs_dir: Path = Path("runs")
    """Folder that holds the runs."""
    data_dir: Path = field(default_factory=lambda: project_folder() / "data")
    """Folder with the data."""
    batch_size: int = 256
    """Samples in a batch."""
    device: str = "auto"
    """Where to compute: auto, cpu, or an accelerator such as cuda, cuda:1, xpu or mps."""
    loader: LoaderConfig = field(default_factory=LoaderConfig)
    """How batches are loaded."""

    def __post_init__(self) -> None:
        require_batch_size(self.batch_size)
        require_device_name(self.device)
