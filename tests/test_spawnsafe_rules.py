"""The rules of spawnsafe: on files written for it, on its own pages, on the words that it skips by."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rendering import ROOT
from spawnsafe.check import Report, Result, check_file, may_matter
from spawnsafe.config import Settings
from spawnsafe.rules import ALL, BY_CODE, UNUSED

CORPUS = Path(__file__).resolve().parent / "spawnsafe_corpus"
PAGES = ROOT / "hooks" / "spawnsafe" / "pages"
EXPECT = re.compile(r"# expect: ([\w, ]+)")


def named(folder: str) -> list[str]:
    """The files of the corpus, by their paths below it."""
    return sorted(p.relative_to(CORPUS).as_posix() for p in (CORPUS / folder).rglob("*.py"))


def check(path: Path) -> Result:
    result = check_file(path, Settings())
    assert result.errors == []
    return result


def expected(text: str) -> set[tuple[int, str]]:
    """What comments such as `# expect: SPS101` say, by line."""
    return {
        (number, code)
        for number, line in enumerate(text.splitlines(), 1)
        for match in EXPECT.findall(line)
        for code in match.replace(",", " ").split()
    }


@pytest.mark.parametrize("name", named("unsafe"))
def test_what_is_unsafe_is_found_in_its_line(name: str) -> None:
    text = (CORPUS / name).read_text(encoding="utf-8")
    wanted = expected(text)
    assert wanted, "the file expects nothing"
    found = {(report.line, report.code) for report in check(CORPUS / name).reports}
    assert found == wanted


@pytest.mark.parametrize("name", named("safe"))
def test_what_is_safe_is_left_alone(name: str) -> None:
    assert check(CORPUS / name).reports == []


def example(code: str, title: str) -> str:
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    return str(re.findall(rf"## {title}\n\n```python\n(.*?)```", page, re.DOTALL)[0])


def check_example(code: str, title: str, folder: Path) -> list[Report]:
    """Check an example of a page; those of the rules for notebooks as a cell."""
    text = example(code, title)
    if code.startswith("SPS8"):
        path = folder / "example.ipynb"
        cell = {"cell_type": "code", "source": text, "metadata": {}}
        path.write_text(json.dumps({"cells": [cell], "nbformat": 4}), encoding="utf-8")
    else:
        path = folder / "example.py"
        path.write_text(text, encoding="utf-8")
    return check(path).reports


@pytest.mark.parametrize("code", [UNUSED, *BY_CODE])
def test_the_examples_of_a_page_are_what_it_says(code: str, tmp_path: Path) -> None:
    assert code in {report.code for report in check_example(code, "Unsafe", tmp_path)}
    assert check_example(code, "Safe", tmp_path) == []


def test_each_rule_has_a_page_with_its_name_and_severity() -> None:
    for rule in ALL:
        first = (PAGES / f"{rule.code}.md").read_text(encoding="utf-8").splitlines()[0]
        assert first == f"# {rule.code} {rule.name} ({rule.severity})"
    assert {page.stem for page in PAGES.glob("*.md")} == {UNUSED, *BY_CODE}


def test_each_rule_is_in_the_corpus() -> None:
    texts = [(CORPUS / name).read_text(encoding="utf-8") for name in named("unsafe")]
    seen = {code for text in texts for _, code in expected(text)}
    # The rules for notebooks have tests of their own.
    assert set(BY_CODE) - seen == {"SPS801", "SPS802", "SPS709"}


def test_no_file_with_a_finding_is_skipped_by_its_words() -> None:
    for name in named("unsafe"):
        assert may_matter((CORPUS / name).read_text(encoding="utf-8")), name


def test_codes_are_stable() -> None:
    # A code that people have in their comments and settings keeps its meaning for ever.
    assert [f"{rule.code} {rule.name}" for rule in ALL][:3] == [
        "SPS101 processes-at-import",
        "SPS102 framework-at-import",
        "SPS103 costly-at-import",
    ]
    assert len({rule.name for rule in ALL}) == len(ALL)


def test_the_table_in_the_docs_is_that_of_the_code() -> None:
    docs = (ROOT / "docs" / "spawnsafe.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (SPS\d+) \| ([\w-]+) \| (\w+) \|", docs, re.MULTILINE)
    wanted = [(rule.code, rule.name, rule.severity) for rule in ALL]
    assert rows == [(UNUSED, "unused-suppression", "warning"), *wanted]
