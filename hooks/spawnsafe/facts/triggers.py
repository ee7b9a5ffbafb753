"""Which files are followed at all."""

from __future__ import annotations

FUNCTION_TRIGGERS = (
    "multiprocessing", "DataLoader", "Dataset", "DataPipe", "ProcessPool", "WebLoader",
    "freeze_support", "VisionDataset", "ImageFolder",
)  # fmt: skip
"""Without these words, what happens in functions that are not called at import is of no interest."""
TRIGGERS = (
    "multiprocessing", "DataLoader", "Dataset", "DataPipe", "ProcessPool", "cuda", "xpu",
    "mps", "accelerator", "set_default_device", "set_default_tensor_type", "environ", "putenv", "dataloader_num_workers",
    "freeze_support", "torch.utils.data", "lightning", "ultralytics", "fastai", "accelerate",
    "num_proc", "LocalCluster", "VecEnv", "AsyncVectorEnv", "multi_process", "vllm", "detectron2",
    "process_map", "ignite", "torch.distributed", "WebLoader",
)  # fmt: skip
"""A file that has none of these words is parsed, and not followed: no rule has anything to say."""
