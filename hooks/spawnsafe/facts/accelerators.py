"""What touches an accelerator, and what does not."""

from __future__ import annotations

ACCELERATORS = ("cuda", "mps", "xpu", "hpu", "npu")
TOUCHES = {
    "torch.cuda.init", "torch.cuda.set_device", "torch.cuda.current_device",
    "torch.cuda.get_device_name", "torch.cuda.get_device_properties",
    "torch.cuda.get_device_capability", "torch.cuda.synchronize", "torch.cuda.mem_get_info",
    "torch.cuda.manual_seed_all_", "torch.cuda.Stream", "torch.cuda.Event_",
    "torch.cuda.current_stream", "torch.cuda.reset_peak_memory_stats",
    "torch.cuda.current_blas_handle", "torch.cuda.memory_reserved_", "torch.xpu.set_device",
    "torch.xpu.init", "torch.accelerator.set_device_index", "torch.accelerator.synchronize",
    "torch.mps.synchronize",
}  # fmt: skip
"""Calls that set up the accelerator. torch.device(), device_count() and manual_seed() do not."""
ASKS = {
    "torch.cuda.is_available", "torch.accelerator.is_available", "torch.cuda.is_bf16_supported",
}  # fmt: skip
"""Calls that spoil a later fork, though no memory is taken."""
MOVES = ("cuda", "xpu")
"""Methods of tensors and modules that move them to an accelerator."""
FACTORIES = {
    f"torch.{name}" for name in (
        "tensor", "zeros", "ones", "empty", "full", "rand", "randn", "randint", "arange",
        "linspace", "eye", "as_tensor", "randperm", "zeros_like", "ones_like", "rand_like",
        "randn_like", "empty_like", "full_like", "Generator", "from_numpy", "logspace",
    )
}  # fmt: skip
