"""The lazy device: asked for when the training loop needs it, and not before.

Nothing else in the project touches an accelerator, so no worker ever holds a part of one.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

from .errors import ProjectError

INSTALL = "The project was set up for the CPU: choose a GPU with `copier update` to change that."


class Device(NamedTuple):
    """Where to compute, and one sentence that says why."""

    name: str
    reason: str


def choose_device(requested: str) -> Device:
    """Ask torch what there is, then decide.

    Args:
        requested: auto, cpu, or an accelerator, as in `decide_device`.
    """
    found = None
    if requested != "cpu" and torch.accelerator.is_available():
        accelerator = torch.accelerator.current_accelerator()
        found = accelerator.type if accelerator else None
    count = torch.accelerator.device_count() if found else 0
    return decide_device(requested, found=found, count=count, build=torch.__version__)


def decide_device(requested: str, *, found: str | None, count: int, build: str) -> Device:
    """Decide from what was asked for and what is there.

    Args:
        requested: auto, cpu, or an accelerator such as cuda or cuda:1.
        found: the kind of accelerator that torch can use here, None without one.
        count: how many of them.
        build: the version of torch, as in "2.13.0+cpu".

    Raises:
        ProjectError: an accelerator was asked for that is not there.
    """
    there = f"torch {build} finds {f'{count} of kind {found}' if found else 'no accelerator'}"
    if requested == "cpu":
        return Device("cpu", "it was asked for")
    if requested == "auto":
        return Device("cpu", "the project was set up for it; --device takes another")
    kind, _, number = requested.partition(":")
    if kind != found:
        raise ProjectError(f"--device {requested} was asked for, but {there}. {INSTALL}")
    if int(number or 0) >= count:
        raise ProjectError(
            f"--device {requested} was asked for, but {there}: count from {kind}:0 to "
            f"{kind}:{count - 1}."
        )
    return Device(requested, "it was asked for")


def require_options(device: Device, *, amp: bool, compile: bool) -> None:
    """Try what was asked for on something tiny, before the work begins.

    Raises:
        ProjectError: it cannot work here.
    """
    if amp:
        try:
            ones = torch.ones(2, 2, dtype=torch.bfloat16, device=device.name)
            (ones @ ones).sum().item()
        except RuntimeError as error:
            raise ProjectError(
                f"--amp needs bfloat16, which {device.name} cannot compute here "
                f"({first_line(error)}). Leave --amp out."
            ) from error
    if compile:
        try:
            torch.compile(torch.sin)(torch.ones(2, device=device.name))
        except Exception as error:  # compilers fail in many ways, each with a type of its own
            raise ProjectError(
                f"--compile does not work here ({first_line(error)}). It needs a C++ compiler for "
                "the CPU and Triton for most GPUs. Leave --compile out, or install what is missing."
            ) from error


def first_line(error: BaseException) -> str:
    """The part of an error that fits into a sentence."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
