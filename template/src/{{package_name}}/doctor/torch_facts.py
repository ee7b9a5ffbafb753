"""What torch is, and what it finds here. Runs in a child, for its import may crash."""

from __future__ import annotations

import os
import time
from typing import Any


def read_torch() -> dict[str, Any]:
    """Facts about torch, as plain values."""
    before = affinity()
    started_s = time.perf_counter()
    import torch

    import_s = time.perf_counter() - started_s
    import threadpoolctl

    from ..runtime.device import choose_device

    pools = threadpoolctl.threadpool_info()
    return {
        "version": torch.__version__,
        "build": build_of(torch.version),
        "import_s": import_s,
        "device": list(choose_device("auto")),
        "accelerator": torch.accelerator.is_available(),
        "threads": torch.get_num_threads(),
        "openmp": sorted({pool["filepath"] for pool in pools if pool["user_api"] == "openmp"}),
        "affinity": [before, affinity()],
    }


def build_of(version: Any) -> str:
    """What torch was built for: cuda, rocm, xpu, or cpu, which is also the one with MPS."""
    kinds = {"cuda": "cuda", "rocm": "hip", "xpu": "xpu"}
    return next((kind for kind, name in kinds.items() if getattr(version, name, None)), "cpu")


def affinity() -> int | None:
    """How many processors this process is bound to; None where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
