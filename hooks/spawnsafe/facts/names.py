"""Full names: things that have several get one."""

from __future__ import annotations

PREFIXES = {
    # One name for what several modules give.
    "torch.multiprocessing.": "multiprocessing.",
    "multiprocessing.context.": "multiprocessing.",
    "multiprocessing.process.": "multiprocessing.",
    "multiprocessing.queues.": "multiprocessing.",
    "multiprocessing.synchronize.": "multiprocessing.",
    "concurrent.futures.process.": "concurrent.futures.",
    "concurrent.futures.thread.": "concurrent.futures.",
    "torch.utils.data.dataloader.": "torch.utils.data.",
    "torch.utils.data.dataset.": "torch.utils.data.",
    "torch.utils.data._utils.worker.": "torch.utils.data.",
    "pytorch_lightning.": "lightning.pytorch.",
    "lightning.pytorch.trainer.": "lightning.pytorch.",
    "torchvision.datasets.folder.": "torchvision.datasets.",
    "torchvision.datasets.vision.": "torchvision.datasets.",
    "torchvision.transforms.v2.": "torchvision.transforms.",
    "torchvision.transforms.transforms.": "torchvision.transforms.",
    "tqdm.auto.": "tqdm.",
    "tqdm.notebook.": "tqdm.",
    "tqdm.rich.": "tqdm.",
    "tqdm.std.": "tqdm.",
    "tqdm.tqdm.": "tqdm.",
    "argparse_.": "argparse.",
    "jsonargparse.ArgumentParser": "argparse.ArgumentParser",
    "io.open": "builtins.open",
    "codecs.open": "builtins.open",
}
EXACT = {
    "multiprocessing.pool.Pool": "multiprocessing.Pool",
    "torch.multiprocessing.spawn": "torch.multiprocessing.spawn",
    "torch.multiprocessing.start_processes": "torch.multiprocessing.start_processes",
    "torch.multiprocessing.spawn.spawn": "torch.multiprocessing.spawn",
    "lightning.Trainer": "lightning.pytorch.Trainer",
    "lightning.LightningDataModule": "lightning.pytorch.LightningDataModule",
    "multiprocessing.spawn": "torch.multiprocessing.spawn",
    "multiprocessing.start_processes": "torch.multiprocessing.start_processes",
    "tqdm.notebook.tqdm": "tqdm.tqdm",
    "ultralytics.models.YOLO": "ultralytics.YOLO",
    "os.getenv": "os.environ.get",
    "torch.Generator().manual_seed": "torch.Generator",
    **{
        f"pathlib.Path{method}": "pathlib.Path"
        for method in (
            ".cwd",
            ".home",
            "().absolute",
            "().expanduser",
            "().joinpath",
            "().resolve",
            "().with_name",
            "().with_suffix",
        )
    },
}


def canonical(qual: str) -> str:
    """One name for things that have several."""
    if qual in EXACT:
        return EXACT[qual]
    for prefix, short in PREFIXES.items():
        if qual.startswith(prefix):
            return EXACT.get(short + qual[len(prefix) :], short + qual[len(prefix) :])
    return qual
