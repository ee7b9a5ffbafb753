"""What people break, and what they are told: each was met once, by somebody who tried."""

from __future__ import annotations

import re
import shutil
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from children import Ended, run_child
from conftest import Load
from rendering import Project, render
from running import HERE, TIMEOUT_S, require_runnable, run_python
from variants import DEFAULT

pytestmark = pytest.mark.full


@pytest.fixture
def arrays(thin_template: Path, tmp_path: Path) -> Project:
    require_runnable(DEFAULT, HERE)
    return render(thin_template, tmp_path / "arrays", DEFAULT)


@pytest.fixture
def images(thin_template: Path, tmp_path: Path) -> Project:
    require_runnable(DEFAULT, HERE)
    return render(thin_template, tmp_path / "images", {**DEFAULT, "dataset": "images"})


def train(project: Project, *options: str) -> Ended:
    return run_python(project, "-m", project.package, "train", *options, system=HERE)


def assert_one_message(ended: Ended, *words: str) -> None:
    """The program ended with one message of one line, and trained nothing."""
    assert ended.code == 1, ended.output
    assert "Traceback" not in ended.output
    assert all(word in ended.output.splitlines()[-1] for word in words), ended.output
    assert "epoch   1/" not in ended.output
    assert ended.left == []


def test_a_damaged_image_that_a_worker_meets_is_named(images: Project) -> None:
    damaged = sorted(images.folder.glob("data/digits/train/9/*.png"))[0]
    damaged.write_bytes(damaged.read_bytes()[:60])
    ended = train(images, "--loader.num-workers", "1")
    assert_one_message(ended, str(damaged), "is damaged", "Replace or delete it.")


def test_a_class_that_one_split_lacks_is_noticed(images: Project) -> None:
    (images.folder / "data" / "digits" / "train" / ".hidden").mkdir()
    shutil.rmtree(images.folder / "data" / "digits" / "validation" / "0")
    assert_one_message(train(images), "validation has 9 folders: 1, 2, 3", "Expected 10")


def test_a_label_that_the_model_does_not_have_is_named(arrays: Project) -> None:
    path = arrays.folder / "data" / "digits" / "validation_labels.npy"
    labels = np.load(path)
    labels[3] = 200
    np.save(path, labels)
    assert_one_message(train(arrays), str(path), "has the label 200 at 3", "below 10")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no array at all"])
def test_a_file_that_is_no_array_is_named(content: bytes, arrays: Project) -> None:
    path = arrays.folder / "data" / "digits" / "train_images.npy"
    path.write_bytes(content)
    assert_one_message(train(arrays), str(path), "is damaged", "expected a .npy file of uint8")


def test_a_fault_in_the_test_set_shows_before_training(arrays: Project) -> None:
    (arrays.folder / "data" / "digits" / "test_images.npy").unlink()
    assert_one_message(train(arrays), "test_images.npy", "cannot be opened")


def test_a_resumed_run_takes_the_new_settings_and_a_finished_one_says_so(arrays: Project) -> None:
    options = ["--epochs", "1", "--loader.num-workers", "0"]
    assert train(arrays, *options).code == 0
    (run,) = arrays.folder.glob("runs/*")
    assert_one_message(train(arrays, "--resume", str(run)), "has finished its 1 epochs", "--epochs")
    losses = []
    for number, rate in enumerate(("0.002", "0.2")):
        copy = arrays.folder / "runs" / f"copy-{number}"
        shutil.copytree(run, copy)
        resume = ["--resume", str(copy), "--epochs", "2", "--learning-rate", rate]
        ended = train(arrays, *resume)
        assert ended.code == 0, ended.output
        losses += re.findall(r"epoch   2/2  loss ([\d.]+)", ended.output)
        assert f"learning_rate = {rate}" in (copy / "config.toml").read_text(encoding="utf-8")
    assert float(losses[1]) > 1.2 * float(losses[0])


def test_an_epoch_counts_as_done_only_when_its_best_model_is_saved(
    load: Load, tmp_path: Path
) -> None:
    checkpoint, errors = load("runtime.checkpoint"), load("runtime.errors")
    (tmp_path / "best.pt").mkdir()  # so that it cannot be written
    checkpoints = checkpoint.Checkpoints(tmp_path, {}, torch.device("cpu"), every_s=60)
    progress = load("runtime.progress").Progress()
    progress.end_epoch({"epoch": 1})
    with pytest.raises(errors.ProjectError, match="best.pt"):
        checkpoints.save_epoch(progress, is_best=True)
    assert not (tmp_path / "last.pt").exists()


def test_ctrl_c_while_torch_is_imported_ends_the_program(arrays: Project) -> None:
    if sys.platform == "win32":
        pytest.skip("Ctrl-C cannot be sent to one program on Windows")
    ended = run_child(
        [sys.executable, "-X", "importtime", "-m", arrays.package, "train"],
        cwd=arrays.folder,
        environment={"PYTHONPATH": arrays.folder / "src"},
        timeout_s=TIMEOUT_S,
        signal_at=("torch._utils", signal.SIGINT),
    )
    assert ended.code == 130, ended.output[-2000:]
    assert "Traceback" not in ended.output
    assert "epoch" not in ended.output
    assert ended.left == []


def test_ctrl_c_is_not_meant_for_a_run_in_the_background_of_a_script(arrays: Project) -> None:
    if sys.platform == "win32":
        pytest.skip("it is a custom of the shells of other systems")
    command = [sys.executable, "-m", arrays.package, "train", "--epochs", "2"]
    ended = run_child(
        ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *command],
        cwd=arrays.folder,
        environment={"PYTHONPATH": arrays.folder / "src"},
        timeout_s=TIMEOUT_S,
        signal_at=("epoch   1/2", signal.SIGINT),
    )
    assert ended.code == 0, ended.output
    assert "epoch   2/2" in ended.output
    assert ended.left == []
