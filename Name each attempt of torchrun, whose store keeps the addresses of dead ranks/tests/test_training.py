"""Workers deliver the same batches as the main process, and training works."""

import multiprocessing
from pathlib import Path

import pytest
import torch

from name_each_attempt_of_torchrun.config import LoaderConfig, TrainConfig, project_folder
from name_each_attempt_of_torchrun.data import make_dataset
from name_each_attempt_of_torchrun.model import DigitNet
from name_each_attempt_of_torchrun.runtime.checkpoint import load_checkpoint, save_checkpoint
from name_each_attempt_of_torchrun.runtime.loader import BatchLoader
from name_each_attempt_of_torchrun.runtime.report import Report
from name_each_attempt_of_torchrun.runtime.start import StartMethod
from name_each_attempt_of_torchrun.train import fit, train_one_epoch

DATA_DIR = project_folder() / "data"
START_METHODS = [name for name in multiprocessing.get_all_start_methods() if name != "fork"]


def load_epochs(**options) -> list[torch.Tensor]:
    """The images of two epochs of the augmented training set."""
    dataset = make_dataset(DATA_DIR, "train", augment=True)
    with BatchLoader({"train": dataset}, 64, seed=1, timeout_s=100, **options) as loader:
        epochs = [loader.epoch("train", epoch, shuffle=True) for epoch in (0, 1)]
        return [images for batches in epochs for images, _ in batches]


@pytest.mark.parametrize("name", START_METHODS)
def test_two_workers_deliver_what_the_main_process_would(name: str) -> None:
    expected = load_epochs(num_workers=0)
    found = load_epochs(num_workers=2, start_method=StartMethod(name, "it is tested"))
    assert len(found) == len(expected)
    assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True))


def test_loading_leaves_the_random_state_of_training_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    load_epochs(num_workers=0)
    assert torch.equal(torch.rand(3), expected)


def test_training_lowers_the_loss() -> None:
    torch.manual_seed(0)
    model = DigitNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    dataset = make_dataset(DATA_DIR, "validation")
    with BatchLoader({"data": dataset}, 32, num_workers=0) as loader:
        losses = [
            train_one_epoch(model, loader.epoch("data", 0), optimizer, torch.device("cpu"))
            for _ in range(3)
        ]
    assert losses[2] < losses[1] < losses[0]


def test_a_checkpoint_survives_a_round_trip(tmp_path: Path) -> None:
    model = DigitNet()
    save_checkpoint(tmp_path / "last.pt", {"model": model.state_dict(), "epoch": 3}, {"epoch": 3})
    other = DigitNet()
    loaded = load_checkpoint(tmp_path / "last.pt", {"model": other})
    assert loaded["epoch"] == 3
    images = torch.rand(2, 1, 8, 8)
    assert torch.equal(other.eval()(images), model.eval()(images))


def test_a_run_that_was_stopped_ends_like_one_that_never_was(tmp_path: Path) -> None:
    loader = LoaderConfig(num_workers=0)
    settings = TrainConfig(
        epochs=2, device="cpu", loader=loader, runs_dir=tmp_path, save_every_steps=7
    )
    whole = fit(settings, Report())

    class Crash(Exception):
        pass

    class CrashingReport(Report):
        def follow(self, batches, count, title):
            for number, batch in enumerate(batches):
                if number == 10:  # the last checkpoint is 3 batches old
                    raise Crash
                yield batch

    with pytest.raises(Crash):
        fit(settings, CrashingReport())
    stopped = next(folder for folder in tmp_path.iterdir() if folder != whole)
    resumed = fit(settings, Report(), resume=stopped)
    assert resumed == stopped
    ends = [load_checkpoint(folder / "last.pt", {}) for folder in (whole, resumed)]
    for name, weights in ends[0]["model"].items():
        assert torch.equal(weights, ends[1]["model"][name])
    losses = [[row["loss"] for row in end["progress"]["history"]] for end in ends]
    assert losses[0] == losses[1]
