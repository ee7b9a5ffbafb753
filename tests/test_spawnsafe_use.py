"""spawnsafe on many files, again and again, and by itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from checking import SAFE, UNSAFE, run, write
from rendering import ROOT
from spawnsafe.cli import main

pytestmark = pytest.mark.usefixtures("own_folder")


def test_unchanged_files_are_not_read_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write("train.py", UNSAFE)
    assert main([]) == 1
    first = capsys.readouterr().out
    with monkeypatch.context() as patch:
        patch.setattr("spawnsafe.check.read_bytes", lambda path: pytest.fail("it was read"))
        assert main([]) == 1
    assert capsys.readouterr().out == first
    file.write_text(SAFE)
    assert main([]) == 0
    file.write_text(UNSAFE)
    assert main(["--ignore", "SPS101"]) == 0
    assert Path(".spawnsafe_cache/.gitignore").read_text() == "*\n"


def test_several_processes_find_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(60):
        write(f"{number:02}.py", UNSAFE if number % 2 else SAFE)
    one = run(capsys, "--jobs", "1")
    assert run(capsys, "--jobs", "2") == one
    assert one[1].count(": SPS101 ") == 30


def test_it_runs_as_a_module_and_imports_nothing_it_reads(tmp_path: Path) -> None:
    write("train.py", UNSAFE + "open('was_run', 'w')\n")
    done = subprocess.run(
        [sys.executable, "-m", "spawnsafe", "--no-cache", "train.py"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "hooks")},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 1 and "train.py:2:14: SPS101" in done.stdout
    assert done.stderr == "" and not Path("was_run").exists()


def test_it_needs_the_standard_library_only() -> None:
    program = "import sys, spawnsafe.cli; print([m for m in sys.modules if 'torch' in m])"
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT / "hooks")},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
