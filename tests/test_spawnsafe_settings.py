"""Settings of spawnsafe, and comments that switch a rule off."""

from __future__ import annotations

from pathlib import Path

import pytest

from checking import SAFE, UNSAFE, run, write
from spawnsafe import config, toml

pytestmark = pytest.mark.usefixtures("own_folder")


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


def test_a_comment_may_stand_at_the_end_of_a_statement(
    capsys: pytest.CaptureFixture[str],
) -> None:
    loader = (
        "from torch.utils.data import DataLoader\n"
        "loader = DataLoader(\n    [1],\n    collate_fn=lambda b: b,\n    num_workers=2,\n)"
    )
    loop = "for batch in DataLoader(\n    [1], num_workers=2\n):{}\n    print(batch)\n"
    for text, code in ((f"{loader}{{}}\n", "SPS301"), (f"{loader}\n{loop}", "SPS101")):
        write("train.py", text.format(""))
        assert code in run(capsys, "--select", code)[1]
        write("train.py", text.format(f"  # spawnsafe: ignore[{code}]"))
        assert run(capsys, "--select", code)[0] == 0
    # Behind the body of a loop, it says nothing about its first line.
    write("train.py", UNSAFE.rstrip() + "  # spawnsafe: ignore[SPS101]\n")
    assert "train.py:2:14: SPS101" in run(capsys)[1]


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


def test_a_project_without_cuda_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    write(
        "data.py",
        "from torch.utils.data import DataLoader\n\n\ndef build(data):\n"
        "    return DataLoader(data, num_workers=2, pin_memory=True)\n",
    )
    cpu = '[[tool.uv.index]]\nurl = "https://download.pytorch.org/whl/cpu"\n'
    for content, found in (
        ("", False),
        (cpu, True),
        (cpu + cpu.replace("cpu", "cu130"), False),
        ("[tool.spawnsafe]\ncuda = false\n", True),
        (cpu + "[tool.spawnsafe]\ncuda = true\n", False),
    ):
        write("pyproject.toml", content)
        config.settings_for.cache_clear()
        config.project_for.cache_clear()
        assert ("data.py:5:12: SPS405" in run(capsys)[1]) is found, content
