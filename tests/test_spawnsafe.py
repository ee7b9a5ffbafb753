"""spawnsafe as a command: what it prints, how it ends, and what it makes of odd files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rendering import ROOT
from spawnsafe import config, toml
from spawnsafe.cli import main
from spawnsafe.discover import compile_line

UNSAFE = (
    "from torch.utils.data import DataLoader\n"
    "for batch in DataLoader([1, 2], num_workers=2):\n"
    "    print(batch)\n"
)
SAFE = "print('nothing')\n"


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a project of its own, and settings that are read anew."""
    monkeypatch.chdir(tmp_path)
    config.settings_for.cache_clear()
    config.project_for.cache_clear()


def write(name: str, content: str | bytes) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main([*arguments, "--no-cache"])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def notebook(*cells: str, **metadata: object) -> str:
    made = [{"cell_type": "code", "source": cell, "metadata": {}} for cell in cells]
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


# --- Output and exit codes --------------------------------------------------------------------


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


# --- Settings and suppressions ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('selct = ["SPS1"]', "unknown key 'selct'; did you mean select?"),
        ('select = ["SPS999"]', "no rule has the code 'SPS999'"),
        ('select = "SPS1"', "expected a list of codes"),
        ('frozen = "yes"', "expected true or false"),
        ("exclude = 3", "expected a list of patterns"),
        ('per-file-ignores = { "a.py" = ["X"] }', "no rule has the code 'X'"),
    ],
)
def test_a_wrong_setting_is_an_error(
    table: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write("pyproject.toml", f"[tool.spawnsafe]\n{table}\n")
    write("train.py", SAFE)
    code, _, err = run(capsys)
    assert code == 2 and message in err


def test_settings_are_those_of_the_nearest_project(capsys: pytest.CaptureFixture[str]) -> None:
    write("pyproject.toml", '[tool.spawnsafe]\nignore = ["SPS101"]\n')
    write("train.py", UNSAFE)
    assert run(capsys)[0] == 0
    write("inner/pyproject.toml", "[tool.spawnsafe]\n")
    write("inner/train.py", UNSAFE)
    config.settings_for.cache_clear()
    _, out, _ = run(capsys)
    assert [line.split(":")[0] for line in out.splitlines() if "SPS" in line][0] == str(
        Path("inner/train.py")
    )


def test_files_are_excluded_and_ignored_by_pattern(capsys: pytest.CaptureFixture[str]) -> None:
    table = 'exclude = ["old", "gen_*.py"]\n[tool.spawnsafe.per-file-ignores]\n"tests/*" = ["SPS1"]'
    write("pyproject.toml", f"[tool.spawnsafe]\n{table}\n")
    for name in ("old/a.py", "gen_b.py", "tests/c.py"):
        write(name, UNSAFE)
    assert run(capsys)[0] == 0
    assert run(capsys, "gen_b.py", "old/a.py")[0] == 0  # as pre-commit names them
    write("d.py", UNSAFE)
    assert run(capsys)[0] == 1


def test_the_simple_reader_of_settings_agrees_with_pythons(tmp_path: Path) -> None:
    text = (
        '[project]\nname = "x"\n[tool.spawnsafe]\nselect = [\n  "SPS1",  # "why\n  \'SPS3\',\n]\n'
        'frozen = true  # yes\nignore = []\n[tool.spawnsafe.per-file-ignores]\n"a [b].py" = ["S"]\n'
        '[[tool.other]]\nselect = ["no"]\n'
    )
    wanted = {
        "select": ["SPS1", "SPS3"],
        "frozen": True,
        "ignore": [],
        "per-file-ignores": {"a [b].py": ["S"]},
    }
    assert toml.read_table_simply(text, "tool.spawnsafe") == wanted
    assert toml.read_table(text, "tool.spawnsafe") == wanted
    assert toml.read_table(text, "tool.nothing") is None


def test_a_comment_suppresses_a_code_in_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    line = "for batch in DataLoader([1, 2], num_workers=2):"
    write("train.py", UNSAFE.replace(line, f"{line}  # spawnsafe: ignore[SPS101]"))
    assert run(capsys)[0] == 0
    write("train.py", UNSAFE.replace(line, f"{line}  # spawnsafe: ignore[SPS301]"))
    out = run(capsys)[1]
    assert "SPS101" in out and "SPS001 nothing is found here for SPS301" in out


def test_a_comment_that_suppresses_nothing_is_reported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write("a.py", "x = 1  # spawnsafe: ignore[SPS101]\ny = 2  # spawnsafe: ignore\n")
    write("b.py", 'x = "# spawnsafe: ignore[SPS101]"\nz = 3  # spawnsafe: ignore[NO1]\n')
    code, out, _ = run(capsys)
    assert code == 1
    assert "a.py:1:8: SPS001 nothing is found here for SPS101" in out
    assert "a.py:2:8: SPS001 the comment names no code" in out
    assert "b.py:2:8: SPS001 no rule has the code NO1" in out
    assert out.count(": SPS001 ") == 3
    # A code that is not asked for cannot be unused.
    assert "SPS101" not in run(capsys, "--ignore", "SPS101")[1]


def test_a_frozen_project_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    program = (
        "from multiprocessing import Pool\n\nif __name__ == '__main__':\n"
        "    with Pool(2) as pool:\n        pool.map(abs, [1])\n"
    )
    write("app.py", program)
    assert run(capsys)[0] == 0
    write("pyproject.toml", "[tool.spawnsafe]\nfrozen = true\n")
    for told in (
        {"pyproject.toml": "[tool.spawnsafe]\nfrozen = true\n"},
        {"pyproject.toml": '[project.optional-dependencies]\nfreeze = ["pyinstaller>=6"]\n'},
        {"pyproject.toml": "", "app.spec": "a = Analysis(['app.py'])\n"},
    ):
        for name, content in told.items():
            write(name, content)
        config.settings_for.cache_clear()
        config.project_for.cache_clear()
        assert "app.py:3:1: SPS501" in run(capsys)[1], told


# --- Odd files: a clear line, the others still checked, exit code 2 ----------------------------


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


def test_any_encoding_that_python_reads(capsys: pytest.CaptureFixture[str]) -> None:
    write("latin.py", f"# coding: latin-1\n# é\n{UNSAFE}".encode("latin-1"))
    write("mark.py", b"\xef\xbb\xbf" + UNSAFE.encode())
    write("lines.py", UNSAFE.replace("\n", "\r\n"))
    out = run(capsys)[1]
    assert "latin.py:4:14: SPS101" in out
    assert "mark.py:2:14: SPS101" in out
    assert "lines.py:2:14: SPS101" in out


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


# --- Notebooks --------------------------------------------------------------------------------

DATA = (
    "from torch.utils.data import DataLoader, Dataset\n"
    "class Rows(Dataset):\n    def __len__(self):\n        return 1\n"
    "    def __getitem__(self, index):\n        return index\n"
)


def test_a_data_set_in_a_cell_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    guarded = "if __name__ == '__main__':\n    print(list(DataLoader(Rows(), num_workers=1)))"
    write("a.ipynb", notebook("# text\n", DATA, guarded))
    code, out, _ = run(capsys)
    assert code == 1 and out.startswith("a.ipynb:cell 2:2:1: SPS801 class Rows")


def test_functions_in_cells_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    collate = "def collate(rows):\n    return rows\n"
    loader = "loader = DataLoader([1], num_workers=2, collate_fn=collate)\nnext(iter(loader))"
    target = "from multiprocessing import Process\ndef work():\n    pass\n"
    write("a.ipynb", notebook(DATA, collate, loader, target, "Process(target=work).start()"))
    out = run(capsys)[1]
    assert "cell 2:1:1: SPS801 collate()" in out
    assert "cell 4:2:1: SPS802 work()" in out


def test_notebooks_need_no_guard(capsys: pytest.CaptureFixture[str]) -> None:
    loop = "from torch.utils.data import DataLoader\nprint(list(DataLoader([1], num_workers=2)))"
    zero = DATA + "print(list(DataLoader(Rows())))"
    model = "import torch\nmodel = torch.nn.Linear(1, 1).cuda()"
    write("a.ipynb", notebook(loop, zero, model))
    assert run(capsys)[0] == 0


def test_magics_are_understood(capsys: pytest.CaptureFixture[str]) -> None:
    cells = [
        "%matplotlib inline\n!pip install torch \\\n  numpy\nfiles = !ls\nhelp?\n",
        "%%bash\nfor x in *; do echo $x; done",
        "%%time\n" + DATA,
        "%%writefile data.py\nfrom torch.utils.data import DataLoader\n\n"
        "for b in DataLoader([1], num_workers=1):\n    print(b)",
        "%time batches = list(DataLoader(Rows(), num_workers=1))",
        "text = '''\n%not a magic\n'''",
        "await something",
    ]
    write("a.ipynb", notebook(*cells))
    code, out, err = run(capsys)
    assert err == "" and code == 1
    assert "a.ipynb:cell 3:3:1: SPS801" in out
    assert "a.ipynb:cell 4:4:10: SPS101" in out


def test_notebooks_of_other_languages_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.ipynb", notebook("x <- c(1, 2", language_info={"name": "R"}))
    assert run(capsys)[0] == 0


# --- As it is used ----------------------------------------------------------------------------


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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_a_pipe_is_named_and_never_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe.py")
    write("train.py", UNSAFE)
    code, out, err = run(capsys, ".")
    assert code == 2
    assert "train.py:2:14: SPS101" in out
    assert "pipe.py" in err


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


def test_places_in_sarif_are_addresses(capsys: pytest.CaptureFixture[str]) -> None:
    write("a b.py", UNSAFE)
    write("broken.py", "def f(:\n")
    code, out, _ = run(capsys, ".", "--format", "sarif")
    (report,) = json.loads(out)["runs"]
    assert code == 2
    assert "a%20b.py" in json.dumps(report["results"])
    assert "broken.py" in json.dumps(report["invocations"])


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
