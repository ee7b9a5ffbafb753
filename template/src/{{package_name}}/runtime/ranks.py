"""The ranks: this process among those that torchrun has started, and what they tell each other.

In a process that runs alone nothing is told, and nothing imported for it.
What ranks tell each other travels as CPU tensors, by gloo, so that no accelerator has to wait.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

from .errors import UsageError

if TYPE_CHECKING:
    import torch

P = ParamSpec("P")
T = TypeVar("T")


class Ranks(NamedTuple):
    """This process among others, as torchrun tells it. By default it is alone."""

    rank: int = 0
    """Its number among all; 0 speaks and writes for all of them."""
    world_size: int = 1
    """How many there are."""
    local_rank: int = 0
    """Its number on this machine."""
    local_world_size: int = 1
    """How many there are on this machine."""

    @property
    def are_many(self) -> bool:
        return self.world_size > 1

    @property
    def is_first(self) -> bool:
        return self.rank == 0


def read_ranks(variables: Mapping[str, str] = os.environ) -> Ranks:
    """Read what torchrun has put into the environment.

    Raises:
        UsageError: its variables are incomplete or contradict each other.
    """
    # RANK alone means nothing: other launchers set it too, and for other purposes.
    if "RANK" not in variables or "WORLD_SIZE" not in variables:
        return Ranks()
    numbers = {}
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"):
        text = variables.get(name, "")
        if not (text.isascii() and text.isdecimal()):
            raise bad_variable(name, text or "missing", "a number of 0 or more")
        numbers[name.lower()] = int(text)
    ranks = Ranks(**numbers)
    for name, number, size_name, size in (
        ("RANK", ranks.rank, "WORLD_SIZE", ranks.world_size),
        ("LOCAL_RANK", ranks.local_rank, "LOCAL_WORLD_SIZE", ranks.local_world_size),
    ):
        if number >= size:
            raise bad_variable(name, number, f"less than {size_name}, which is {size}")
    if ranks.local_world_size > ranks.world_size:
        expected = f"at most WORLD_SIZE, which is {ranks.world_size}"
        raise bad_variable("LOCAL_WORLD_SIZE", ranks.local_world_size, expected)
    return ranks


def bad_variable(name: str, found: object, expected: str) -> UsageError:
    return UsageError(
        f"The environment variable {name} is {found}, but expected {expected}. "
        "Start with torchrun, which sets it, or unset RANK to run alone."
    )


def total(*numbers: torch.Tensor | float) -> list[float]:
    """The sum of each number over all ranks; every rank has to ask."""
    values = [float(number) for number in numbers]
    if read_ranks().are_many:
        import torch
        from torch import distributed

        sums = torch.tensor(values, dtype=torch.float64)
        distributed.all_reduce(sums)
        values = sums.tolist()
    return values


def highest(*numbers: int) -> list[int]:
    """The largest of each number over all ranks; every rank has to ask."""
    if read_ranks().are_many:
        import torch
        from torch import distributed

        values = torch.tensor(numbers)
        distributed.all_reduce(values, distributed.ReduceOp.MAX)
        numbers = tuple(values.tolist())
    return list(numbers)


def answered_by_first(function: Callable[P, T]) -> Callable[P, T]:  # noqa: UP047  # for 3.10 too
    """Have a function answer every rank what it answers rank 0; only there it runs."""

    @wraps(function)
    def ask(*args: P.args, **kwargs: P.kwargs) -> T:
        answer: T = asked_of_first(partial(function, *args, **kwargs))
        return answer

    return ask


def asked_of_first(question: Callable[[], Any]) -> Any:
    """What rank 0 answers; only it is asked, and every rank learns the answer."""
    ranks = read_ranks()
    answer: list[Any] = [question() if ranks.is_first else None]
    if ranks.are_many:
        import torch
        from torch import distributed

        distributed.broadcast_object_list(answer, device=torch.device("cpu"))
    return answer[0]
