"""YOURS. Training and evaluation: plain PyTorch, read once from top to bottom."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from .config import EvaluateConfig, TrainConfig
from .data import CLASSES, make_dataset
from .model import DigitNet
from .runtime.checkpoint import load_checkpoint, save_epoch
from .runtime.device import choose_device, require_options
from .runtime.errors import ProjectError
from .runtime.files import new_run_folder, newest_run
from .runtime.loader import BatchLoader
from .runtime.report import Report
from .runtime.settings import write_settings


def train_one_epoch(
    model: nn.Module,
    batches: Iterable[Any],
    optimizer: torch.optim.Optimizer,
    device: torch.device,
    *,
    amp: bool = False,
) -> float:
    """Pass over the training set once; returns the mean loss of a sample."""
    model.train()
    loss_sum, samples = torch.zeros((), device=device), 0
    for images, labels in batches:
        images = images.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        with torch.autocast(device.type, torch.bfloat16, enabled=amp):
            loss = functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        # Stays on the device: to ask for the number here would make the CPU wait at each step.
        loss_sum += loss.detach() * len(labels)
        samples += len(labels)
    return float(loss_sum) / samples


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
    return int(correct) / samples


def cosine(start: float, progress: float) -> float:
    """Half a cosine: from `start`, as `progress` goes from 0 to 1, down to 0."""
    return start * 0.5 * (1 + math.cos(math.pi * progress))


def fit(config: TrainConfig, report: Report, resume: Path | None = None) -> Path:
    """Train a model and save it after each epoch; returns the folder of the run.

    The folder holds config.toml, metrics.csv, last.pt and best.pt, each with a .json to read.

    Args:
        resume: folder of a run to go on with; by default a new one is made.
    """
    chosen = choose_device(config.device)
    require_options(chosen, amp=config.amp, compile=config.compile)
    device = torch.device(chosen.name)
    train_set = make_dataset(config.data_dir, "train", augment=config.augment)
    validation_set = make_dataset(config.data_dir, "validation")
    make_dataset(config.data_dir, "test")  # a fault in it should show before hours of training

    torch.manual_seed(config.seed)
    model = DigitNet(CLASSES).to(device)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay
    )
    history: list[dict[str, float]] = []
    if resume:
        saved = load_checkpoint(resume / "last.pt", {"model": model, "optimizer": optimizer})
        torch.set_rng_state(saved["random_state"])
        history = saved["history"]
        if len(history) >= config.epochs:
            raise ProjectError(
                f"{resume} has finished its {len(history)} epochs. Go on with a larger --epochs."
            )
    if config.compile:
        model.compile()

    loading = {"device": chosen.name, "seed": config.seed, **asdict(config.loader)}
    with (
        BatchLoader(train_set, config.batch_size, shuffle=True, **loading) as train_loader,
        BatchLoader(validation_set, config.batch_size, **loading) as validation_loader,
    ):
        run_dir = resume.absolute() if resume else new_run_folder(config.runs_dir)
        write_settings(config, run_dir / "config.toml")
        report.decisions([("device", *chosen), *train_loader.plan.rows()])
        report.line(f"results go to {run_dir}")
        for epoch in range(len(history), config.epochs):
            title = f"epoch {epoch + 1:>3}/{config.epochs}"
            for group in optimizer.param_groups:
                group["lr"] = cosine(config.learning_rate, epoch / config.epochs)
                group["weight_decay"] = config.weight_decay
            batches = report.follow(train_loader.epoch(epoch), len(train_loader), title)
            loss = train_one_epoch(model, batches, optimizer, device, amp=config.amp)
            if not math.isfinite(loss):
                raise ProjectError(f"{title}: the loss is {loss}. Try a smaller --learning-rate.")
            accuracy = evaluate(model, validation_loader.epoch(0), device)
            samples_per_s = len(train_set) / batches.total_s
            metrics = {"epoch": epoch + 1, "loss": loss, "accuracy": accuracy}
            metrics |= {"samples_per_s": samples_per_s, "wait_share": batches.wait_share}
            is_best = all(accuracy > row["accuracy"] for row in history)
            history.append(metrics)
            state = {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "random_state": torch.get_rng_state(),
                "history": history,
            }
            save_epoch(run_dir, state, history, is_best=is_best)
            report.line(
                f"{title}  loss {loss:.4f}  validation {accuracy:6.1%}  "
                f"{samples_per_s:>7,.0f} samples/s  waiting for data {batches.wait_share:.0%}"
            )
    best = max(history, key=lambda row: row["accuracy"])
    report.line(f"best validation accuracy {best['accuracy']:.1%}, in epoch {best['epoch']:.0f}")
    return run_dir


def evaluate_run(config: EvaluateConfig, report: Report, *, show_decisions: bool = True) -> None:
    """Print the accuracy of a run's best model on the test set, which training never sees."""
    run_dir = config.run or newest_run(config.runs_dir)
    chosen = choose_device(config.device)
    device = torch.device(chosen.name)
    model = DigitNet(CLASSES).to(device)
    load_checkpoint(run_dir / "best.pt", {"model": model})
    test_set = make_dataset(config.data_dir, "test")
    loading = {"device": chosen.name, **asdict(config.loader)}
    with BatchLoader(test_set, config.batch_size, **loading) as loader:
        if show_decisions:
            report.decisions([("device", *chosen), *loader.plan.rows()])
        accuracy = evaluate(model, loader.epoch(0), device)
    report.line(f"test accuracy {accuracy:.1%}, on {len(test_set)} samples that training never saw")
