"""Which files spawnsafe reads, and what it makes of odd ones: a clear line, and exit code 2."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from checking import SAFE, UNSAFE, notebook, run, write
from spawnsafe.discover import compile_line

pytestmark = pytest.mark.usefixtures("own_folder")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.py", "def broken(:\n", "it does not parse: line 1"),
        ("a.py", "import multiprocessing\ndef broken(:\n", "it does not parse: line 2"),
        ("a.py", b"\x00\x01\x02binary", "it is a binary file"),
        ("a.py", b"# coding: nonsense\n", "it is not text that Python reads"),
        ("a.py", b"x = '\xff'\n", "it is not text that Python reads"),
        ("a.py", "x = " + "(" * 3000 + ")" * 3000, "it "),
        ("a.ipynb", "{", "it is no notebook"),
        ("a.ipynb", "[1, 2]", "it is no notebook"),
        ("a.ipynb", '{"cells": [3]}', "it is no notebook"),
        ("a.ipynb", '{"worksheets": [3]}', "it is no notebook"),
        ("a.ipynb", '{"worksheets": [{"cells": 3}]}', "it is no notebook"),
        ("a.ipynb", notebook("def broken(:"), "cell 1 is left out: it does not parse"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    name: str, content: str | bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(name, content)
    write("train.py", UNSAFE)
    code, out, err = run(capsys)
    assert code == 2
    assert err.startswith(f"{name}: not checked: {message}") and err.count("\n") == 1
    assert "train.py:2:14: SPS101" in out


def test_a_fault_of_its_own_costs_one_file_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.py", SAFE)
    write("train.py", UNSAFE)

    def fail(text: str) -> None:
        raise KeyError("missing")

    monkeypatch.setattr("spawnsafe.check.check_syntax", fail)
    code, out, err = run(capsys)
    assert (code, err) == (
        2,
        "a.py: not checked: spawnsafe failed, please report it: KeyError('missing')\n",
    )
    assert "train.py:2:14: SPS101" in out


def test_a_missing_path_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    write("train.py", UNSAFE)
    code, out, err = run(capsys, "nowhere", "train.py")
    assert (code, err) == (2, "nowhere: not checked: it does not exist\n")
    assert "SPS101" in out


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_loops_of_links_end(capsys: pytest.CaptureFixture[str]) -> None:
    write("code/train.py", UNSAFE)
    Path("code/again").symlink_to(Path("code").absolute(), target_is_directory=True)
    assert run(capsys)[1].count(": SPS101 ") == 1
    Path("loop.py").symlink_to("loop.py")
    code, out, err = run(capsys)
    assert code == 2 and err.startswith("loop.py: not checked: it cannot be read")
    assert "SPS101" in out


def test_no_permission_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.py", SAFE)
    write("train.py", UNSAFE)
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "a.py":
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    code, out, err = run(capsys)
    assert (code, err) == (2, "a.py: not checked: no permission to read it\n")
    assert "SPS101" in out


def test_large_and_deep_files_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    rows = "    'a row of a table that was generated',\n" * 100_000
    write("large.py", f"import multiprocessing\nROWS = [\n{rows}]\n")
    write("sum.py", f"import multiprocessing\nx = {' + '.join(['y'] * 900)}\n")
    write("chain.py", "import multiprocessing\nif x:\n    y\n" + "elif x:\n    y\n" * 300)
    write("deep.py", "import multiprocessing\nx = " + "[" * 90 + "]" * 90 + "\n")
    assert run(capsys)[0] == 0


def test_a_file_too_large_to_be_followed_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spawnsafe.machine.MOST_STEPS", 100)
    write("large.py", UNSAFE + "value = 1\n" * 100)
    write("train.py", UNSAFE)
    code, out, err = run(capsys)
    assert (code, err) == (2, "large.py: not checked: it is too large to be followed to its end\n")
    assert out.count(": SPS101 ") == 2


def test_any_encoding_that_python_reads(capsys: pytest.CaptureFixture[str]) -> None:
    write("latin.py", f"# coding: latin-1\n# é\n{UNSAFE}".encode("latin-1"))
    write("mark.py", b"\xef\xbb\xbf" + UNSAFE.encode())
    write("lines.py", UNSAFE.replace("\n", "\r\n"))
    out = run(capsys)[1]
    assert "latin.py:4:14: SPS101" in out
    assert "mark.py:2:14: SPS101" in out
    assert "lines.py:2:14: SPS101" in out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_a_pipe_is_named_and_never_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe.py")
    write("train.py", UNSAFE)
    code, out, err = run(capsys, ".")
    assert code == 2
    assert "train.py:2:14: SPS101" in out
    assert "pipe.py" in err


# --- Which files ------------------------------------------------------------------------------


def test_what_git_ignores_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.py", "out/b.py", "keep/out/c.py", "gen/d.py", "gen/e.py", ".venv/f.py"):
        write(name, UNSAFE)
    Path(".git").mkdir()
    write(".gitignore", "/out/\ngen/*\n!gen/e.py\n# a comment\n")
    write("keep/.gitignore", "c.py\n")
    found = {entry["path"] for entry in json.loads(run(capsys, "--format", "json")[1])}
    assert found == {"a.py", str(Path("gen/e.py"))}
    # A file that is named is checked in any case.
    assert run(capsys, "out/b.py")[0] == 1


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.py", "a/b.py", True),
        ("/b.py", "a/b.py", False),
        ("a/**/c.py", "a/x/y/c.py", True),
        ("a/**/c.py", "a/c.py", True),
        ("[ab].py", "b.py", True),
        ("[!ab].py", "b.py", False),
        ("b?.py", "b1.py", True),
        ("a/*", "a/b/c", False),
    ],
)
def test_patterns_of_gitignore(pattern: str, path: str, fits: bool) -> None:
    line = compile_line(pattern)
    assert line is not None
    assert bool(line.expression.fullmatch(path)) is fits
