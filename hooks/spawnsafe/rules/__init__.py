"""All rules, in the order of their codes."""

from __future__ import annotations

from spawnsafe.module import Rule
from spawnsafe.rules import (
    accelerator,
    boot,
    effects,
    frozen,
    loading,
    pickles,
    start_method,
    workers,
)

ALL: tuple[Rule, ...] = tuple(
    sorted(
        (
            *boot.RULES,
            *start_method.RULES,
            *pickles.RULES,
            *accelerator.RULES,
            *frozen.RULES,
            *effects.RULES,
            *loading.RULES,
            *workers.RULES,
        ),
        key=lambda rule: rule.code,
    )
)
BY_CODE = {rule.code: rule for rule in ALL}
UNUSED = "SPS001"
"""The code of a suppression that suppresses nothing."""
