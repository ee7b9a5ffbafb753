"""A data set that loses a worker."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import torch
from torch.utils.data import Dataset

from .workloads import compute


class WorkerLosing(Dataset[torch.Tensor]):
    """One of its samples, when it is loaded for the first time, ends or stops the process.

    Args:
        event: "death" or "stall".
        mark: a file that says when it happened, and that it shall not happen again.
    """

    def __init__(self, length: int, sample_ms: float, event: str, mark: Path) -> None:
        self.length, self.sample_ms, self.event, self.mark = length, sample_ms, event, mark
        self.lost_at = length // 2 + 1

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> torch.Tensor:
        compute(self.sample_ms)
        if index == self.lost_at and not self.mark.exists():
            self.mark.write_text(f"{time.time()}")
            if self.event == "death":
                os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(3600)
        return torch.full((64,), float(index))
