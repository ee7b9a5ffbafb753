"""Tune: what follows from measurements; and what it finds in projects where the answer is known."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from conftest import Load
from rendering import Project
from running import HERE, run_python
from toml import tomllib

STEP = 1000.0
"""Samples per second of the step alone."""
PNG = b"\x89PNG\r\n"


def findings(load: Load, rates: dict[tuple[int, int], float], **facts: Any) -> Any:
    """What was measured: samples per second by threads and workers."""
    module, setup = load("tune.findings"), load("runtime.adapt").Setup
    found = module.Findings(**facts)
    found.add_step(module.Trial(setup(0, 0), 1000, 1000 / STEP))
    for key, rate in rates.items():
        found.add(module.Trial(setup(*key), int(rate), 1.0, 0.25))
    return found


@pytest.mark.parametrize(
    ("cpus", "most", "counts"),
    [
        (1, 4, [0, 1, 2]),
        (2, 8, [0, 1, 2, 3]),
        (2, 0, [0]),
        (8, 32, [0, 1, 2, 3, 4, 6, 9, 10]),
        (64, 8, [0, 1, 2, 3, 4, 6, 8]),
    ],
)
def test_which_numbers_are_tried(cpus: int, most: int, counts: list[int], load: Load) -> None:
    assert load("tune.findings").worker_counts(cpus, most) == counts
    more = load("tune.findings").worker_counts(256, 1024, mostly_waits=True)
    assert more[-1] == 1024 and len(more) < 25


@pytest.mark.parametrize(
    ("rates", "words", "best"),
    [
        ({(0, 0): 950, (0, 1): 980}, "Loading is not the bottleneck", (0, 0)),
        (
            {(0, 0): 300, (0, 1): 500, (0, 2): 960},
            "Loading is no bottleneck with 2 workers",
            (0, 2),
        ),
        ({(0, 0): 100, (0, 1): 190, (0, 2): 300}, "Loading is the bottleneck", (0, 2)),
        ({(0, 0): 50, (16, 0): 700, (16, 1): 710}, "Loading is the bottleneck", (16, 0)),
    ],
)
def test_whether_loading_is_the_bottleneck(
    rates: dict[tuple[int, int], float], words: str, best: tuple[int, int], load: Load
) -> None:
    found = findings(load, rates)
    assert found.best.setup == best
    said = load("tune.findings").conclude(found)
    assert said[0].startswith(words)
    assert "1,000 samples/s" in said[0]


@pytest.mark.parametrize(
    ("rate", "wait_s", "noise", "holds_up"),
    [
        (950, 0.4, 1.0, False),
        (800, 0.2, 2.0, True),
        (800, 0.0, 1.0, True),
        (800, 0.0, 1.2, False),
        (500, 0.0, 1.2, True),
    ],
)
def test_noise_is_not_taken_for_a_bottleneck(
    rate: int, wait_s: float, noise: float, holds_up: bool, load: Load
) -> None:
    found = findings(load, {})
    trial = found.step._replace(samples=rate, seconds=1.0, wait_s=wait_s)
    assert load("tune.findings").loading_holds_up(trial, found.step, noise) is holds_up


def test_a_setup_that_is_not_clearly_faster_does_not_win(load: Load) -> None:
    rates: dict[tuple[int, int], float] = {(0, 0): 700, (0, 1): 980}
    found = findings(load, rates)
    assert found.best.setup == (0, 1)
    for rate in (700, 1400):
        found.add_step(load("tune.findings").Trial(found.step.setup, rate, 1.0))
    assert [round(ratio, 2) for ratio in found.ratios] == [1.43, 1.65]
    found.ratios = [1.0, 1.5, 2.0]
    assert found.best.setup == (0, 0)
    assert "differ by 50%" in load("tune.findings").conclude(found)[-1]


def test_what_failed_never_wins(load: Load) -> None:
    found = findings(load, {(0, 0): 300, (0, 1): 900})
    trial = found.trials[(0, 1)]
    found.add(trial._replace(failure="memory is short"))
    assert found.best.setup == (0, 0)


@pytest.mark.parametrize(
    ("costs", "can_read_ahead", "words"),
    [
        ((0.3, 0.0, 0.01, 0.01), True, "nearer or faster disk"),
        ((0.1, 0.2, 0.01, 0.01), True, "move it to read()"),
        ((0.3, 0.0, 0.01, 0.01), False, "read() and prepare()"),
        ((0.1, 0.0, 0.3, 0.01), True, "`doctor` names the slowest line"),
        ((0.01, 0.0, 0.01, 0.3), True, "uint8 in place of float32"),
    ],
)
def test_what_to_do_about_it(
    costs: tuple[float, float, float, float], can_read_ahead: bool, words: str, load: Load
) -> None:
    module = load("tune.findings")
    found = findings(load, {(0, 0): 100}, can_read_ahead=can_read_ahead)
    found.costs = module.Costs(32, *costs)
    said = " ".join(module.conclude(found))
    assert words in said
    assert "32.0 ms in the step" in said
    for cost in (costs[0] + costs[1], *costs[2:]):
        assert load("runtime.adapt").milliseconds(cost) in said
    found.add(module.Trial(load("runtime.adapt").Setup(0, 2), 980, 1.0))
    assert words not in " ".join(module.conclude(found))


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        (580, "about as fast as the best. Nothing has to be set"),
        (300, "50% of the best. --save"),
    ],
)
def test_the_automatic_choice_is_compared(rate: int, words: str, load: Load) -> None:
    found = findings(load, {(0, 0): 100, (0, 2): 600})
    found.automatic = load("tune.findings").Trial(load("runtime.adapt").Setup(0, 1), rate, 1.0)
    assert words in " ".join(load("tune.findings").conclude(found))


def test_what_only_the_automatic_choice_took_can_be_the_best(load: Load) -> None:
    found, setup = findings(load, {(0, 0): 100, (0, 2): 300}), load("runtime.adapt").Setup
    found.automatic = load("tune.findings").Trial(setup(0, 8), 900, 1.0)
    assert found.best.setup == setup(0, 8)
    found.add(found.automatic._replace(samples=310))  # measured again
    assert found.best.setup == setup(0, 2)


def test_too_little_is_said_to_be_too_little(load: Load) -> None:
    module = load("tune.findings")
    assert "--seconds" in module.conclude(module.Findings())[0]


def test_bars_are_as_long_as_the_speed(load: Load) -> None:
    lines = list(load("tune.chart").bars(findings(load, {(0, 0): 500}), 80, "#"))
    assert [line.split("  ")[0] for line in lines] == [
        "the main process",
        "the step alone, without loading",
    ]
    lengths = [line.count("#") for line in lines]
    assert lengths[1] in (2 * lengths[0], 2 * lengths[0] + 1, 2 * lengths[0] - 1)
    assert max(map(len, lines)) <= 80


def test_a_saved_setting_is_taken_on_the_same_machine_only(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved, setup = load("tune.saved"), load("runtime.adapt").Setup(16, 3)
    file = tmp_path / "tuned.toml"
    assert saved.read_saved(8, file) == (None, "")
    saved.save(setup, 8, file)
    assert saved.read_saved(8, file)[0] == setup
    found, sentence = saved.read_saved(4, file)
    assert found is None
    assert "8 processors, here 4" in sentence
    file.write_text("[loader]\n")
    with pytest.raises(load("runtime.errors").ProjectError, match="not written by tune"):
        saved.read_saved(8, file)


def test_flags_and_files_override_a_saved_setting(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    load("tune.saved").save(load("runtime.adapt").Setup(16, 3), 8)
    (tmp_path / "my.toml").write_text("[loader]\nnum_workers = 1\n")
    parse = load("cli").parse

    def workers_and_threads(*arguments: str) -> tuple[Any, Any]:
        loader = parse(arguments).settings.loader
        return loader.num_workers, loader.reading_threads

    assert workers_and_threads("train") == (3, 16)
    assert "3 workers with 16 reading threads each (from tuned.toml" in capsys.readouterr().out
    assert workers_and_threads("train", "--config", "my.toml") == (1, 16)
    assert workers_and_threads("train", "--loader.num-workers", "2") == (2, 16)
    assert workers_and_threads("tune", "--config", "my.toml") == (1, "auto")
    assert workers_and_threads("tune") == ("auto", "auto")


WAITS = """

class Waiting(DigitArrays):
    def prepare(self, raw: Any) -> Any:
        import time

        time.sleep(0.05)
        return super().prepare(raw)


DigitArrays = Waiting
"""


HEAVY = """

class Heavy(DigitNet):
    def forward(self, images: torch.Tensor) -> torch.Tensor:
        import time

        time.sleep(0.1)  # as a large model would, on a machine however busy
        return super().forward(images)


DigitNet = Heavy
"""


def tune(project: Project, *options: str, system: str = HERE) -> str:
    """Run tune; returns what it printed."""
    return run(project, "tune", "--batch-size", "8", *options, system=system)


def run(project: Project, *arguments: str, system: str = HERE) -> str:
    ended = run_python(project, "-m", project.package, *arguments, system=system)
    assert ended.code == 0, ended.output
    assert ended.left == []
    return ended.output


@pytest.mark.full
def test_a_heavy_model_is_no_matter_of_loading_and_the_best_setup_is_used(own: Project) -> None:
    with (own.source / "model.py").open("a", encoding="utf-8") as file:
        file.write(HEAVY)
    said = tune(own, "--seconds", "5", "--save", "--picture", "speed.png")
    assert "Loading is not the bottleneck" in said, said
    assert re.search(r"^the step alone, without loading +[\d,]+ samples/s ", said, re.M)
    assert (own.folder / "speed.png").read_bytes().startswith(PNG)
    assert not (own.folder / "runs").exists()
    saved = tomllib.loads((own.folder / "tuned.toml").read_text(encoding="utf-8"))["loader"]
    trained = run(own, "train", "--epochs", "1", "--batch-size", "512")
    assert "(from tuned.toml;" in trained
    for name, key in (("workers", "num_workers"), ("reading threads", "reading_threads")):
        assert f"{name}: {saved[key]} (it was asked for)" in trained


@pytest.mark.full
def test_data_that_waits_is_the_bottleneck_under_spawn_too(own: Project) -> None:
    with (own.source / "data.py").open("a", encoding="utf-8") as file:
        file.write(WAITS)
    said = tune(own, "--seconds", "8", system="windows")
    assert "Loading is the bottleneck" in said, said
    assert "Waiting takes longest" in said
    assert "ended by itself" not in said  # a worker that is not needed any more just leaves
    assert (own.folder / "tune.png").exists()
    assert not (own.folder / "tuned.toml").exists()
