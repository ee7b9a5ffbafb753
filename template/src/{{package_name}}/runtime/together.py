"""Training by several ranks: each has a batch in every step, and all take the same step."""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any
from uuid import uuid4

import torch
from torch import nn

from .device import choose_device
from .errors import ProjectError
from .progress import Progress
from .ranks import read_ranks

SPARE_S = 30.0
"""Seconds that ranks wait for each other beyond the time for a batch: to save a checkpoint."""
PAUSE_S = 0.02
"""Seconds between two looks for ranks that start."""
BACKENDS = {"cpu": "gloo", "cuda": "nccl", "xpu": "xccl"}
"""What carries the tensors of each kind of device between ranks."""
LOSS = re.compile(
    r"closed by peer|reset by peer|broken pipe|connection refused|connect\w* fail|timed? ?out"
    r"|no route to host|unreachable|remote process exited|ncclRemoteError|aborted",
    re.IGNORECASE,
)
"""How gloo, NCCL and the store say that another rank does not answer any more."""
NOISE = re.compile(r"^Got the following error when running the callback: |\w+Error: |\[/\S+\] ")
"""What they say besides: where in their own code it was noticed."""


@contextmanager
def joined_ranks(device: str, *, batch_s: float) -> Iterator[None]:
    """Have the ranks know each other inside the block.

    Args:
        device: what they compute on, as in `choose_device`.
        batch_s: how long a batch may take; beyond it, and a little more, they do not wait.

    Raises:
        ProjectError: this torch cannot connect processes, or the other ranks are gone.
    """
    if not read_ranks().are_many:
        yield
        return
    from torch import distributed

    if not distributed.is_available():
        raise ProjectError(
            f"torch {torch.__version__} was built without torch.distributed: start one process, "
            "without torchrun, or install another build."
        )
    from torch.distributed.distributed_c10d import PrefixStore
    from torch.distributed.rendezvous import rendezvous

    kind = choose_device(device).name.partition(":")[0]
    carrier = BACKENDS[kind]
    if not distributed.is_backend_available(carrier):  # NCCL is for Linux only
        carrier = "gloo"
    # By its plain name alone, for torch warns at the end if it is "cpu:gloo".
    backends = "gloo" if kind == "cpu" else f"cpu:gloo,{kind}:{carrier}"
    try:
        timeout = timedelta(seconds=batch_s + SPARE_S)
        shared, rank, size = next(rendezvous("env://", timeout=timeout))
        store = PrefixStore(name_attempt(shared, rank, size, timeout), shared)
        distributed.init_process_group(
            backends, timeout=timeout, store=store, rank=rank, world_size=size
        )
        yield
    except Exception as error:
        # The group stays as it is. It ends with the process, when the error has been shown: the
        # other ranks, which notice its end, are not faster then than what they wait for.
        if isinstance(error, RuntimeError) and LOSS.search(str(error)):
            raise ProjectError(lost(str(error))) from error
        record(error)
        raise
    # Nothing may hold the group any more, for its end waits for gloo's threads. One that lets go of
    # its last tensor while Python ends aborts the process: "terminate called without an active
    # exception" (torch 2.13; 1 of 6 runs of 3 ranks on a busy machine).
    gc.collect()
    distributed.destroy_process_group()


def name_attempt(shared: Any, rank: int, size: int, timeout: timedelta) -> str:
    """Agree on a name that no attempt had before.

    torchrun (of torch 2.13) keeps one store for all its attempts, so that ranks would find the
    addresses of dead ones in it. The number of restarts differs from machine to machine. So each
    rank asks under a new name of its own, and the first one answers until all have its answer.
    """
    own = uuid4().hex
    if rank:
        shared.set(f"asks/{rank}", own)
        attempt: str = shared.get(f"answer/{own}").decode()
        shared.set(f"{attempt}/knows/{rank}", "")
        return attempt
    deadline_s = time.monotonic() + timeout.total_seconds()
    others = range(1, size)
    while not shared.check([f"{own}/knows/{other}" for other in others]):
        if time.monotonic() > deadline_s:
            raise RuntimeError(f"timed out waiting for {size - 1} other ranks to start")
        for other in others:
            asker = shared.get(f"asks/{other}").decode()  # maybe one of an earlier attempt
            shared.set(f"answer/{asker}", own)
        time.sleep(PAUSE_S)
    return own


def lost(message: str) -> str:
    """What to say where other ranks do not answer."""
    first_line = NOISE.sub("", message.strip().splitlines()[0])
    return (
        f"Rank {read_ranks().rank} has lost the others ({first_line}). What ended the first of them "
        "is said by that one; if none says anything, look at the network and at the machines."
    )


def record(error: Exception) -> None:
    """Tell torchrun what ended this rank, for its summary."""
    from torch.distributed.elastic.multiprocessing.errors import get_error_handler

    with suppress(OSError):
        get_error_handler().record_exception(error)


def train_together(model: nn.Module, progress: Progress) -> nn.Module:
    """The model to train: in a rank it averages its gradients with those of the others.

    Each sample of a step has the same weight, in whichever rank it is.
    """
    if not read_ranks().are_many:
        return model
    from torch import distributed
    from torch.nn.parallel import DistributedDataParallel

    def average(bucket: Any) -> torch.futures.Future[torch.Tensor]:
        step, gradients = progress.step, bucket.buffer()
        if step.own_samples:
            gradients.mul_(step.own_samples / step.samples)
        else:  # also what is infinite or no number
            gradients.zero_()
        work: Any = distributed.all_reduce(gradients, async_op=True)
        return work.get_future().then(lambda done: done.value()[0])  # type: ignore[no-any-return]

    together = DistributedDataParallel(model)
    # torch reads the annotations of a hook, and does not understand those that are text.
    together.register_comm_hook(None, lambda _, bucket: average(bucket))
    return together


def take_buffers_of_first(model: nn.Module) -> None:
    """Make the ranks' models equal: each has its own running averages of its own last batch."""
    if read_ranks().are_many:
        from torch import distributed

        for buffer in model.buffers():
            distributed.broadcast(buffer, src=0)
