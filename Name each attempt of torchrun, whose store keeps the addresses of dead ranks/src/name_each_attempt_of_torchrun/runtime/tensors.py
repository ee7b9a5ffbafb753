"""What is done with the tensors of a batch: weighed, pinned, and made ready to travel."""

from __future__ import annotations

import pickle
from typing import Any

import torch


def measure(batch: Any) -> int:
    """Bytes of the tensors in a batch, however it is nested."""
    if isinstance(batch, torch.Tensor):
        return batch.numel() * batch.element_size()
    parts = batch.values() if isinstance(batch, dict) else batch
    return sum(map(measure, parts)) if isinstance(batch, (dict, list, tuple)) else 0


def pinned(batch: Any) -> Any:
    """A copy of a batch in page-locked memory."""
    if isinstance(batch, torch.Tensor):
        return batch.pin_memory()
    if isinstance(batch, dict):
        return {key: pinned(part) for key, part in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*map(pinned, batch))
    return type(batch)(map(pinned, batch)) if type(batch) in (list, tuple) else batch


def reduce_tensor(tensor: torch.Tensor) -> Any:
    """Pickle a tensor as its memory, if it has the plain form that nearly all have."""
    plain = (
        tensor.layout is torch.strided
        and tensor.device.type == "cpu"
        and not (tensor.is_quantized or tensor.is_conj() or tensor.is_neg())
        and tensor.grad_fn is None
    )
    if not plain:
        return torch.Tensor.__reduce_ex__(tensor, 5)
    flat = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
    return rebuild_tensor, (
        pickle.PickleBuffer(memoryview_of(flat)),
        tensor.dtype,
        tuple(tensor.shape),
        tensor.requires_grad,
    )


def memoryview_of(flat: torch.Tensor) -> memoryview:
    """The memory of a tensor of bytes."""
    array: Any = flat.numpy()
    return memoryview(array)


def rebuild_tensor(
    buffer: Any, dtype: torch.dtype, shape: tuple[int, ...], requires_grad: bool
) -> torch.Tensor:
    """Make a tensor that lies in the received memory."""
    view = memoryview(buffer)
    if view.nbytes == 0:
        return torch.empty(shape, dtype=dtype, requires_grad=requires_grad)
    tensor = torch.frombuffer(view, dtype=dtype).reshape(shape)
    return tensor.requires_grad_() if requires_grad else tensor
