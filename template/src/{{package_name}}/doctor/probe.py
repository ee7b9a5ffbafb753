"""The child's side of child.py: answers one question, and writes the answer to a file."""

from __future__ import annotations

import faulthandler
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..runtime.errors import ProjectError
from ..runtime.start import prepare_workers


def answer(arguments: Sequence[str]) -> int:
    """Answer a question.

    Args:
        arguments: the question, the file for the answer, the limit in seconds, options as JSON.
    """
    question, file, limit_s, options = arguments
    sys.excepthook = sys.__excepthook__  # the parent explains
    # The stack of all threads is the last thing that a child prints which takes too long.
    faulthandler.dump_traceback_later(float(limit_s), exit=True)
    try:
        result = QUESTIONS[question](**json.loads(options))
    except ProjectError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    Path(file).write_text(json.dumps(result), encoding="utf-8")
    return 0


def torch_facts() -> Any:
    from .torch_facts import read_torch

    return read_torch()


def imports(package: str) -> Any:
    from .imports import import_all

    return import_all(package)


def datasets(data_dir: str) -> Any:
    prepare_workers(wanted=False)
    from .samples import weigh_datasets

    return weigh_datasets(Path(data_dir))


def samples(data_dir: str) -> Any:
    prepare_workers(wanted=False)
    from .samples import time_samples

    return time_samples(Path(data_dir))


def piece(data_dir: str, **options: Any) -> Any:
    prepare_workers()
    from .pieces import load_piece

    return load_piece(Path(data_dir), **options)


QUESTIONS: dict[str, Callable[..., Any]] = {
    "torch": torch_facts,
    "imports": imports,
    "datasets": datasets,
    "samples": samples,
    "piece": piece,
}
