"""What a star import gives, as far as anything is known about it."""

from __future__ import annotations

from spawnsafe.facts.loading import DATASETS, LOADERS
from spawnsafe.facts.starting import FASTAI_LEARNERS, FIXES_METHOD, FRAMEWORK_STARTS, STARTS
from spawnsafe.facts.unpicklable import HANDLES, LIVE


def names_of(module: str) -> list[str]:
    """The names of a module that anything is known about."""
    prefix = f"{module}."
    known = {full.partition("()")[0] for table in STARRED for full in table}
    return sorted(
        full[len(prefix) :]
        for full in known
        if full.startswith(prefix) and full[len(prefix) :].isidentifier()
    )


STARRED = (
    LOADERS,
    DATASETS,
    STARTS,
    FRAMEWORK_STARTS,
    FASTAI_LEARNERS,
    LIVE,
    HANDLES,
    FIXES_METHOD,
)
