"""YOURS. Training and evaluation: plain PyTorch, read once from top to bottom."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from .config import EvaluateConfig, TrainConfig
from .data import CLASSES, make_dataset
from .model import DigitNet
from .runtime.checkpoint import Checkpoints, find_start, load_checkpoint, load_progress
from .runtime.device import choose_device, require_options
from .runtime.errors import ProjectError
from .runtime.files import new_run_folder, newest_run
from .runtime.generators import seed_everything
from .runtime.interrupt import GracefulStop
from .runtime.loader import BatchLoader
from .runtime.progress import Progress
from .runtime.ranks import total
from .runtime.report import Report
from .runtime.settings import write_settings
from .runtime.together import take_buffers_of_first, train_together


def train_one_epoch(
    model: nn.Module,
    batches: Iterable[Any],
    optimizer: torch.optim.Optimizer,
    device: torch.device,
    progress: Progress | None = None,
    *,
    amp: bool = False,
) -> float:
    """Pass over the rest of an epoch, and note the progress; returns the mean loss of a sample."""
    model.train()
    progress = progress or Progress()
    progress.loss_sum = progress.loss_sum.to(device)
    for images, labels in batches:
        images = images.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        with torch.autocast(device.type, torch.bfloat16, enabled=amp):
            loss = functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        progress.add(loss, len(labels))
    (loss_sum,) = total(progress.loss_sum)
    return loss_sum / progress.samples


@torch.no_grad()
def evaluate(model: nn.Module, batches: Iterable[Any], device: torch.device) -> float:
    """The share of samples that the model gets right, from 0 to 1."""
    model.eval()
    correct, samples = torch.zeros((), dtype=torch.int64, device=device), 0
    for images, labels in batches:
        images = images.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        correct += (model(images).argmax(dim=1) == labels).sum()
        samples += len(labels)
    all_correct, all_samples = total(correct, samples)
    return all_correct / all_samples


def cosine(start: float, progress: float) -> float:
    """Half a cosine: from `start`, as `progress` goes from 0 to 1, down to 0."""
    return start * 0.5 * (1 + math.cos(math.pi * progress))


def make_model(
    config: TrainConfig, device: torch.device
) -> tuple[nn.Module, torch.optim.Optimizer]:
    """A new model, and the optimizer that trains it."""
    model = DigitNet(CLASSES).to(device)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay
    )
    return model, optimizer


def fit(config: TrainConfig, report: Report, resume: Path | None = None) -> Path:
    """Train a model, save it after each epoch, and test the best; returns the folder of the run.

    The folder holds config.toml, metrics.csv, last.pt and best.pt, each with a .json to read.

    Args:
        resume: folder of a run to go on with; by default a new one is made.
    """
    chosen = choose_device(config.device)
    require_options(chosen, amp=config.amp, compile=config.compile)
    device = torch.device(chosen.name)
    train_set = make_dataset(config.data_dir, "train", augment=config.augment)
    validation_set = make_dataset(config.data_dir, "validation")
    test_set = make_dataset(config.data_dir, "test")

    seed_everything(config.seed)
    model, optimizer = make_model(config, device)
    parts = {"model": model, "optimizer": optimizer}
    checkpoint = find_start(resume, config.runs_dir)
    progress = load_progress(checkpoint, parts, device) if checkpoint else Progress()
    if resume and progress.epoch >= config.epochs:
        raise ProjectError(
            f"{resume} has finished its {progress.epoch} epochs. Go on with a larger --epochs."
        )
    if config.compile:
        model.compile()
    trained = train_together(model, progress)

    epochs = config.epochs - progress.epoch
    loader = BatchLoader(
        {"train": train_set, "validation": validation_set, "test": test_set},
        config.batch_size,
        epochs={"train": epochs, "validation": epochs, "test": 1},
        device=chosen.name,
        seed=config.seed,
        tell=report.line,
        **asdict(config.loader),
    )
    run_dir = checkpoint.parent if checkpoint else new_run_folder(config.runs_dir)
    checkpoints = Checkpoints(
        run_dir, parts, device, every_s=config.save_every_s, every_steps=config.save_every_steps
    )
    write_settings(config, run_dir / "config.toml")
    report.decisions([("device", *chosen), *loader.plan.rows()])
    report.line(f"results go to {run_dir}")
    with loader, GracefulStop() as stop, checkpoints.saved_when_stopped(progress):
        for epoch in range(progress.epoch, config.epochs):
            title = f"epoch {epoch + 1:>3}/{config.epochs}"
            for group in optimizer.param_groups:
                group["lr"] = cosine(config.learning_rate, epoch / config.epochs)
                group["weight_decay"] = config.weight_decay
            done, samples_done = progress.batches, progress.samples  # by the run that is resumed
            loaded = loader.epoch("train", epoch, first=done, shuffle=True, even=True)
            save = partial(checkpoints.save, progress)
            loaded = stop.between_steps(loaded, checkpoints.is_due, save)
            loaded = progress.follow(loaded, loader.steps("train", first=done))
            batches = report.follow(loaded, loader.count("train", first=done), title)
            amp = config.amp
            loss = train_one_epoch(trained, batches, optimizer, device, progress, amp=amp)
            take_buffers_of_first(model)
            if not math.isfinite(loss):
                raise ProjectError(f"{title}: the loss is {loss}. Try a smaller --learning-rate.")
            samples_per_s = (progress.samples - samples_done) / batches.total_s
            validation = stop.between_steps(loader.epoch("validation", epoch))
            accuracy = evaluate(model, validation, device)
            is_best = all(accuracy > row["accuracy"] for row in progress.history)
            metrics = {"epoch": epoch + 1, "loss": loss, "accuracy": accuracy}
            metrics |= {"samples_per_s": samples_per_s, "wait_share": batches.wait_share}
            progress.end_epoch(metrics)
            checkpoints.save_epoch(progress, is_best=is_best)
            report.line(
                f"{title}  loss {loss:.4f}  validation {accuracy:6.1%}  "
                f"{samples_per_s:>7,.0f} samples/s  waiting for data {batches.wait_share:.0%}"
            )
        best = max(progress.history, key=lambda row: row["accuracy"])
        figures = f"{best['accuracy']:.1%}, in epoch {best['epoch']:.0f}"
        report.line(f"best validation accuracy {figures}")
        load_checkpoint(run_dir / "best.pt", {"model": model})
        report_test(evaluate(model, loader.epoch("test", 0), device), len(test_set), report)
    return run_dir


def evaluate_run(config: EvaluateConfig, report: Report) -> None:
    """Print the accuracy of a run's best model on the test set, which training never sees."""
    run_dir = config.run_dir or newest_run(config.runs_dir)
    chosen = choose_device(config.device)
    device = torch.device(chosen.name)
    model = DigitNet(CLASSES).to(device)
    load_checkpoint(run_dir / "best.pt", {"model": model})
    test_set = make_dataset(config.data_dir, "test")
    loading = {"device": chosen.name, **asdict(config.loader)}
    with BatchLoader({"test": test_set}, config.batch_size, **loading) as loader:
        report.decisions([("device", *chosen), *loader.plan.rows()])
        report_test(evaluate(model, loader.epoch("test", 0), device), len(test_set), report)


def report_test(accuracy: float, samples: int, report: Report) -> None:
    """Print the accuracy on the test set."""
    report.line(f"test accuracy {accuracy:.1%}, on {samples} samples that training never saw")
