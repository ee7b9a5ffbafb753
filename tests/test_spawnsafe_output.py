"""spawnsafe as a command: what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from checking import SAFE, UNSAFE, run, write
from rendering import ROOT

pytestmark = pytest.mark.usefixtures("own_folder")


def test_a_finding_has_its_place_its_code_and_its_cure(capsys: pytest.CaptureFixture[str]) -> None:
    write("train.py", UNSAFE)
    code, out, err = run(capsys, "train.py")
    lines = out.splitlines()
    assert code == 1
    assert lines[0].startswith("train.py:2:14: SPS101 this DataLoader starts 2 worker processes")
    assert lines[1].startswith("    Move it into a function")
    assert "\033" not in out
    assert err == ""


def test_nothing_found_is_0(capsys: pytest.CaptureFixture[str]) -> None:
    write("train.py", SAFE)
    assert run(capsys) == (0, "Nothing found in 1 file.\n", "")


def test_the_column_counts_characters(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", UNSAFE.replace("for batch", "for ü, b") + "# ü\n")
    assert "a.py:2:13: SPS101" in run(capsys, "a.py")[1]


def test_json_github_and_sarif(capsys: pytest.CaptureFixture[str]) -> None:
    write("train.py", UNSAFE)
    (entry,) = json.loads(run(capsys, "--format", "json")[1])
    assert (entry["path"], entry["line"], entry["column"]) == ("train.py", 2, 14)
    assert (entry["code"], entry["severity"]) == ("SPS101", "error")
    github = run(capsys, "--format", "github")[1]
    assert github.startswith("::error file=train.py,line=2,col=14,title=spawnsafe (SPS101)::")
    assert "%0AMove it" in github and github.count("\n") == 1
    sarif = json.loads(run(capsys, "--format", "sarif")[1])
    (result,) = sarif["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert sarif["version"] == "2.1.0" and result["ruleId"] == "SPS101"
    assert place["artifactLocation"]["uri"] == "train.py"
    assert place["region"] == {"startLine": 2, "startColumn": 14}


def test_each_format_tells_what_was_not_checked(capsys: pytest.CaptureFixture[str]) -> None:
    write("broken.py", "def f(:\n")
    code, out, err = run(capsys, "--format", "json")
    (entry,) = json.loads(out)
    assert code == 2 and err.startswith("broken.py: not checked: ")
    assert (entry["path"], entry["code"], entry["severity"]) == ("broken.py", None, "error")
    assert entry["message"].startswith("not checked: it does not parse: line 1")
    github = run(capsys, "--format", "github")[1]
    assert github.startswith("::error file=broken.py,title=spawnsafe::not checked: ")
    (told,) = json.loads(run(capsys, "--format", "sarif")[1])["runs"][0]["invocations"]
    assert not told["executionSuccessful"]
    assert "not checked" in told["toolExecutionNotifications"][0]["message"]["text"]


def test_colour_only_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("train.py", UNSAFE)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\033[31mSPS101" in run(capsys, "train.py")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033" not in run(capsys, "train.py")[1]


def test_explain_prints_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--explain", "sps101")
    assert code == 0 and out.startswith("# SPS101 processes-at-import (error)")
    assert run(capsys, "--explain", "lambda-to-worker")[1].startswith("# SPS301 ")
    code, _, err = run(capsys, "--explain", "SPS999")
    assert code == 2 and "SPS999" in err


def test_wrong_usage_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(capsys, "--nonsense")
    assert ended.value.code == 2
    code, _, err = run(capsys, "--select", "SPS1,SPX3")
    assert code == 2 and "no rule has the code 'SPX3'" in err


def test_select_and_ignore(capsys: pytest.CaptureFixture[str]) -> None:
    write("train.py", UNSAFE)
    assert run(capsys, "--select", "SPS3")[0] == 0
    assert run(capsys, "--select", "SPS1", "--ignore", "SPS101")[0] == 0
    assert run(capsys, "--select", "SPS101")[0] == 1
    assert run(capsys, "--select", "processes-at-import")[0] == 1


def test_places_in_sarif_are_addresses(capsys: pytest.CaptureFixture[str]) -> None:
    write("a b.py", UNSAFE)
    write("broken.py", "def f(:\n")
    code, out, _ = run(capsys, ".", "--format", "sarif")
    (report,) = json.loads(out)["runs"]
    assert code == 2
    assert "a%20b.py" in json.dumps(report["results"])
    assert "broken.py" in json.dumps(report["invocations"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
def test_output_that_cannot_be_written_is_an_error() -> None:
    path = write("train.py", UNSAFE)
    command = [sys.executable, "-m", "spawnsafe", "--no-cache", str(path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "hooks")}
    for redirection in (">/dev/full", ">&-"):
        ended = subprocess.run(
            ["sh", "-c", f'"$@" {redirection}', "sh", *command],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert "Traceback" not in ended.stderr
        assert ended.returncode == 2
