"""Settings: from flags and files, checked before any process starts, saved as they were used."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from conftest import Load
from toml import tomllib


def parse_train(load: Load, *flags: str | Path) -> Any:
    return load("cli").parse(["train", *map(str, flags)]).settings


def test_flags_override_a_file_which_overrides_the_defaults(load: Load, tmp_path: Path) -> None:
    file = tmp_path / "my settings.toml"
    file.write_text('batch_size = 64\naugment = false\ndevice = "cpu"\n[loader]\nnum_workers = 3\n')
    defaults = load("config").TrainConfig()
    found = parse_train(load, "--config", file, "--batch-size", "16", "--epochs", "2")
    assert (found.epochs, found.batch_size) == (2, 16)
    assert (found.augment, found.device, found.loader.num_workers) == (False, "cpu", 3)
    assert found.learning_rate == defaults.learning_rate


def test_settings_are_saved_so_that_they_give_the_same_again(load: Load, tmp_path: Path) -> None:
    flags = ["--no-augment", "--learning-rate", "1e-05", "--loader.num-workers", "auto", "--amp"]
    settings = parse_train(load, *flags, "--runs-dir", tmp_path / "Läufe 'x' \\ \"y\"")
    load("runtime.settings").write_settings(settings, tmp_path / "config.toml")
    assert parse_train(load, "--resume", tmp_path) == settings
    text = (tmp_path / "config.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["loader"] == {
        "num_workers": "auto",
        "reading_threads": "auto",
        "timeout_s": 120.0,
    }


IMPOSSIBLE: list[tuple[str, str, str]] = [
    ("--epochs", "0", r"epochs is 0, but expected 1 or more\. .*quick try"),
    ("--batch-size", "-1", r"batch-size is -1, but expected 1 or more\. .*32 is a good start"),
    ("--learning-rate", "0", r"learning-rate is 0.0, but expected a number above 0.*good start"),
    ("--learning-rate", "nan", r"learning-rate is nan, but expected a number above 0"),
    ("--learning-rate", "inf", r"learning-rate is inf, but expected a number above 0"),
    ("--weight-decay", "-0.1", r"weight-decay is -0.1, but expected a number of 0 or more"),
    ("--seed", "-1", r"seed is -1, but expected a number from 0 to 4294967295"),
    ("--seed", str(2**32), r"seed is 4294967296, but expected"),
    ("--device", "gpu", r"device is 'gpu', but expected auto, cpu, cuda, xpu or mps"),
    ("--device", "cuda:", r"device is 'cuda:', but expected"),
    ("--loader.num-workers", "-1", r"loader.num-workers is -1, but expected auto, or a number"),
    ("--loader.num-workers", "1025", r"from 0 to 1024\. auto lets the machine decide"),
    (
        "--loader.reading-threads",
        "-1",
        r"loader.reading-threads is -1, but expected auto, or a num",
    ),
    ("--loader.timeout-s", "0", r"loader.timeout-s is 0.0, but expected a number above 0"),
    ("--loader.timeout-s", "nan", r"loader.timeout-s is nan, but expected a number above 0"),
]


@pytest.mark.parametrize("by_file", [False, True], ids=["flag", "file"])
@pytest.mark.parametrize(("flag", "value", "words"), IMPOSSIBLE)
def test_an_impossible_setting_is_refused_with_name_value_and_cure(
    flag: str, value: str, words: str, by_file: bool, load: Load, tmp_path: Path
) -> None:
    flags = [flag, value]
    if by_file:
        quoted = value if value.lstrip("-").replace(".", "").isdigit() else f'"{value}"'
        name = flag.removeprefix("--").replace("-", "_")
        (tmp_path / "my.toml").write_text(f"{name} = {quoted}\n")
        flags = ["--config", str(tmp_path / "my.toml")]
    with pytest.raises(load("runtime.errors").UsageError, match=words):
        parse_train(load, *flags)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "my.toml cannot be read (No such file"),
        ("epochs = ", "my.toml is no TOML file"),
        (b"\xff", "my.toml is no TOML file"),
    ],
)
def test_a_settings_file_that_cannot_be_read_is_named(
    content: str | bytes | None, words: str, load: Load, tmp_path: Path
) -> None:
    file = tmp_path / "my.toml"
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(load("runtime.errors").ProjectError) as caught:
        parse_train(load, "--config", file)
    assert words in str(caught.value)


@pytest.mark.parametrize("line", ["epoch = 3", "epochs = 'many'", "[loader]\nworkers = 3"])
def test_a_wrong_line_in_a_settings_file_is_shown_with_the_file(
    line: str, load: Load, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "my.toml").write_text(line)
    with pytest.raises(SystemExit) as caught:
        parse_train(load, "--config", tmp_path / "my.toml")
    assert caught.value.code == 2
    shown = "".join(capsys.readouterr().err.split())
    assert "my.toml" in shown
    assert line.split("\n")[-1].split(" =")[0] in shown


def test_a_run_to_resume_that_is_none_is_named(load: Load, tmp_path: Path) -> None:
    for run in (tmp_path / "nothing", tmp_path, tmp_path / "nothing" / "last.pt"):
        expected = f"resume is '{run}', but expected the folder of a run"
        with pytest.raises(load("runtime.errors").UsageError, match=re.escape(expected)):
            parse_train(load, "--resume", run)


def test_ctrl_c_before_a_run_has_begun_is_named(
    load: Load, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(load("cli"), "train", Mock(side_effect=KeyboardInterrupt))
    assert load("cli").run(["train"]) == 130
    assert capsys.readouterr().err.startswith("stopped by SIGINT; ")


def test_two_sources_of_settings_are_refused(load: Load, tmp_path: Path) -> None:
    with pytest.raises(load("runtime.errors").UsageError, match="give one of them"):
        parse_train(load, "--config", tmp_path, "--resume", tmp_path)
