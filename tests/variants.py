"""The variants of the project: which answers there are, and which combinations are tested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any

Answers = dict[str, Any]

SYSTEMS = ("windows", "macos", "linux")
NAME = "Digit Reader"
ODD_TEXT = 'Zoë\'s "7" \\ 识别 #1: *b* _i_ <b> \U0001f522 \\'

# The first value of each is the default.
CHOICES: dict[str, list[Any]] = {
    "platforms": [subset for size in (3, 2, 1) for subset in combinations(SYSTEMS, size)],
    "gpu": ["cpu", "cuda", "rocm", "xpu", "mps"],
    "cluster": ["none", "slurm"],
    "frozen": ["no", "pyinstaller"],
    "dataset": ["arrays", "images", "hdf5", "tabular", "stream"],
    "tracking": ["csv", "tensorboard"],
    "notebook": [False, True],
    "python_version": ["3.11", "3.10", "3.12", "3.13"],
    "ci": ["github", "none"],
    "licence": ["MIT", "BSD-3-Clause", "Apache-2.0", "none"],
    "project_name": [NAME, ODD_TEXT],
    "package_name": ["digit_reader", "d2", "a_name_as_long_as_it_can_be_xx"],
    "description": ["A PyTorch project that reads handwritten digits.", ODD_TEXT + ' """'],
    "user_name": ["", 'Zoë O\'Neil \\ "Zed"'],
    "user_email": ["", "zoe@example.org"],
    "github_user": ["", "zoe-labs"],
}
DEFAULT = {name: values[0] for name, values in CHOICES.items()}
STRUCTURAL = (
    ("platforms", "gpu", "frozen", "notebook"),
    ("dataset", "tracking", "frozen", "notebook"),
)
"""Questions about the machine, and about the work: of either, all combinations are rendered."""
CODE_CHOICES = {
    **{name: CHOICES[name] for names in STRUCTURAL for name in names},
    **{name: CHOICES[name] for name in ("package_name", "description")},
    "python_version": ["3.11", "3.10"],
}
"""The answers that change Python code; the tests of the structure hold that no other does."""

GPU_NEEDS_ONE_OF = {
    "cpu": {"windows", "macos", "linux"},
    "cuda": {"windows", "linux"},
    "rocm": {"linux"},
    "xpu": {"windows", "linux"},
    "mps": {"macos"},
}


def is_possible(answers: Answers) -> bool:
    """Whether the accelerator exists on a chosen system, and on a cluster; True while that is open."""
    systems = answers.get("platforms", SYSTEMS)
    if answers.get("cluster") == "slurm" and (
        "linux" not in systems or answers.get("gpu") in ("cpu", "mps")
    ):
        return False
    return not GPU_NEEDS_ONE_OF[answers.get("gpu", "cpu")].isdisjoint(systems)


def structural_combinations() -> list[Answers]:
    """Every possible combination of structural questions, the others left open."""
    answers = [
        dict(zip(names, row, strict=True))
        for names in STRUCTURAL
        for row in product(*(CHOICES[name] for name in names))
    ]
    return [row for row in answers if is_possible(row)]


def covering(
    begin_with: Sequence[Answers] = (), choices: Mapping[str, Sequence[Any]] = CHOICES
) -> list[Answers]:
    """Few variants in which each possible pair of answers occurs; greedy, the same each time.

    Args:
        begin_with: variants to have in any case. What they leave open is filled in.
        choices: the questions, and the answers to cover.
    """
    # A dictionary is a set that keeps its order.
    open_pairs = dict.fromkeys(
        frozenset({(first, a), (second, b)})
        for first, second in combinations(choices, 2)
        for a, b in product(choices[first], choices[second])
        if is_possible({first: a, second: b})
    )
    rows: list[Answers] = []
    while len(rows) < len(begin_with) or open_pairs:
        row = dict(begin_with[len(rows)] if len(rows) < len(begin_with) else next(iter(open_pairs)))
        for name in choices:
            if name not in row:
                gains = {
                    value: sum(
                        frozenset({(name, value), pair}) in open_pairs for pair in row.items()
                    )
                    for value in choices[name]
                    if is_possible({**row, name: value})
                }
                row[name] = max(gains, key=lambda value: gains[value])
        for pair in combinations(row.items(), 2):
            open_pairs.pop(frozenset(pair), None)
        rows.append(row)
    return rows
