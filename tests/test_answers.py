"""Bad answers say how to mend them and write nothing; odd but good ones come out right."""

from __future__ import annotations

import ast
import json
import keyword
import re
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

from children import Ended, run_child
from conftest import EVERYTHING
from rendering import ROOT, as_data, render, ruff_complaints
from toml import tomllib
from variants import CHOICES, DEFAULT, GPU_NEEDS_ONE_OF, is_possible

LONG = "word " * 399 + "words"
NO_NAME = "Use a-z, 0-9, _, as in digit_net"
ONE_LINE = "Use one line of plain text"

BAD: list[tuple[dict[str, Any], str]] = [
    *(
        ({"package_name": name}, f"Use {name}_project")
        for name in (
            *("class", "match", "import", "json", "multiprocessing", "test", "tomllib", "site"),
            *("torch", "numpy", "pil", "psutil", "loky", "tyro", "rich", "threadpoolctl", "tests"),
            *("con", "nul", "aux", "prn", "com1", "lpt9"),
        )
    ),
    *(
        ({"package_name": name}, NO_NAME)
        for name in (
            *("", "9lives", "my-project", "my project", "a.b", "Digits", "été", "_private", "数字"),
            *("a\n", "a/b", "../a", "{{ x }}"),
        )
    ),
    ({"package_name": "a" * 31}, "Use 30 characters at most"),
    ({"project_name": " "}, "Type a name, such as Digit Reader"),
    ({"description": ""}, "Write one sentence, for example"),
    *(
        ({name: f"one{control}two"}, ONE_LINE)
        for name in ("project_name", "description", "user_name")
        for control in ("\n", "\r", "\t", "\0", "\x1b", "\x7f", "\x85", "\u2028", "\u2029")
    ),
    *(
        ({"user_email": text}, "Write one as ada@example.org")
        for text in ("ada", "a@b@c", "a b@c", "ada@", "a@b\n", 'a"@b', "<a@b>")
    ),
    *(
        ({"github_user": text}, "Use letters, digits, single hyphens")
        for text in ("a b", "-a", "a-", "a--b", "a/b", "é", "a\n")
    ),
    ({"platforms": []}, "Choose one at least: windows, macos"),
    ({"platforms": ["beos"]}, r"'beos' is not in \['windows', 'macos', 'linux'\]"),
    ({"gpu": "tpu"}, r"'tpu' is not in \['cpu', 'cuda'"),
    ({"gpu": "cuda", "cluster": "pbs"}, r"'pbs' is not in \['none', 'slurm'\]"),
    *(
        ({**answers, "cluster": "slurm"}, "Clusters run Linux and have GPUs: add linux")
        for answers in ({}, {"gpu": "mps"}, {"platforms": ["windows"], "gpu": "cuda"})
    ),
    ({"dataset": "parquet"}, r"'parquet' is not in \['arrays', 'images', 'hdf5'"),
    ({"tracking": "wandb"}, r"'wandb' is not in \['csv', 'tensorboard'\]"),
    ({"frozen": "nuitka"}, r"'nuitka' is not in \['no', 'pyinstaller'\]"),
    ({"python_version": "3.9"}, r"'3.9' is not in \['3.10'"),
    ({"ci": "jenkins"}, r"'jenkins' is not in \['github', 'none'\]"),
    ({"licence": "GPL"}, r"'GPL' is not in \['MIT'"),
    ({"notebook": "maybe"}, "maybe"),
    *(
        ({"platforms": platforms, "gpu": gpu}, r"add .* or choose")
        for platforms in CHOICES["platforms"]
        for gpu in GPU_NEEDS_ONE_OF
        if not is_possible({"platforms": platforms, "gpu": gpu})
    ),
]


@pytest.mark.parametrize(("answers", "cure"), BAD, ids=[repr(answers) for answers, _ in BAD])
def test_a_bad_answer_says_how_to_mend_it_and_writes_nothing(
    answers: dict[str, Any], cure: str, thin_template: Path, tmp_path: Path
) -> None:
    destination = tmp_path / "project"
    with pytest.raises(ValueError, match=cure) as caught:
        render(thin_template, destination, {"project_name": "Digit Reader", **answers})
    assert not destination.exists()
    message = str(caught.value)
    if message.startswith("Validation error"):
        # Whoever types the answer sees one line of it, and most terminals are 80 columns wide.
        assert re.search(cure[:30], message[:80])


def run_copier(template: Path, destination: Path, *options: str | Path) -> Ended:
    command = [sys.executable, "-m", "copier", "copy", "--defaults", *options]
    return run_child([*command, template, destination], cwd=destination.parent, timeout_s=100)


@pytest.mark.parametrize("given_by", ["--data", "--data-file"])
@pytest.mark.parametrize(
    ("answers", "cure"),
    [
        ({"package_name": "torch"}, "Use torch_project, or another name"),
        ({"platforms": ["windows", "linux"], "gpu": "mps"}, "add macos to platforms, or choose"),
        ({"platforms": []}, "Choose one at least: windows, macos, linux."),
        (
            {"dataset": "parquet"},
            "'parquet' is not in ['arrays', 'images', 'hdf5', 'tabular', 'stream']",
        ),
    ],
)
def test_the_last_line_of_the_command_is_the_cure(
    answers: dict[str, Any], cure: str, given_by: str, thin_template: Path, tmp_path: Path
) -> None:
    if given_by == "--data":
        texts = {k: v if isinstance(v, str) else json.dumps(v) for k, v in answers.items()}
        options = [f"--data={name}={text}" for name, text in texts.items()]
    else:
        file = tmp_path / "answers.yml"
        file.write_text(yaml.safe_dump(answers), encoding="utf-8")
        options = [f"--data-file={file}"]
    ended = run_copier(thin_template, tmp_path / "project", *options)
    assert ended.code != 0
    assert cure in ended.output.strip().splitlines()[-1]
    assert not (tmp_path / "project").exists()


def reserved_names() -> set[str]:
    text = (ROOT / "includes" / "reserved_names.yml").read_text(encoding="utf-8")
    return set(yaml.safe_load(text)["reserved_names"]["default"].split())


def not_reserved(modules: Iterable[str]) -> list[str]:
    """Those of some modules whose names a project could take; Windows does not see their case."""
    names = {name.lower() for name in modules} - reserved_names()
    return sorted(name for name in names if re.fullmatch("[a-z][a-z0-9_]*", name))


def test_names_of_python_are_reserved() -> None:
    later = {"tomllib", "type"}  # the tests may run on a Python that does not know them yet
    names = {*sys.stdlib_module_names, *keyword.kwlist, *keyword.softkwlist, "test", *later}
    assert not_reserved(names) == []


def test_import_names_of_all_dependencies_are_reserved() -> None:
    # As the template lists them, for all answers together.
    text = (ROOT / "template" / "pyproject.toml.jinja").read_text(encoding="utf-8")
    pattern = r'"([\w-]+(?:\[\w+\])?>=[\d.]+)"'
    distributions = {canonicalize_name(Requirement(r).name) for r in re.findall(pattern, text)}
    (imported,) = re.findall(r"^dependencies = \[.*?^\]", text, re.M | re.S)
    distributions |= with_requirements(map(Requirement, re.findall(pattern, imported)))
    names = {
        module
        for module, owners in packages_distributions().items()
        if distributions & {canonicalize_name(owner) for owner in owners}
        and not module.endswith("__mypyc")  # its names are made up
    }
    assert {"torch", "hatchling", "ruff", "aiohttp", "tensorboard"} <= names
    elsewhere = {"cuda", "nvidia", "triton"}  # what other builds of torch bring
    assert not_reserved(names | elsewhere) == []


def with_requirements(todo: Iterable[Requirement]) -> set[NormalizedName]:
    """Distributions and all that they need in turn, as far as it is installed here."""
    found: set[NormalizedName] = set()
    todo = list(todo)
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        if name in found and not requirement.extras:
            continue
        found.add(name)
        try:
            needed = [Requirement(text) for text in requires(name) or []]
        except PackageNotFoundError:
            continue
        extras = requirement.extras or {""}
        todo += [
            r
            for r in needed
            if not r.marker or any(r.marker.evaluate({"extra": extra}) for extra in extras)
        ]
    return found


@pytest.mark.parametrize(
    ("project_name", "package_name"),
    [
        ("Digit Reader", "digit_reader"),
        ("7 Segment -- display!", "segment_display"),
        ("Zoë's Net", "zo_s_net"),
        ("识别", "my_project"),
        ("torch", "torch_project"),
        ("CON", "con_project"),
        ("x" * 60, "x" * 30),
        (f"{'x' * 29} y", "x" * 29),
    ],
)
def test_the_package_name_is_made_from_the_project_name(
    project_name: str, package_name: str, thin_template: Path, tmp_path: Path
) -> None:
    project = render(thin_template, tmp_path / "project", {"project_name": project_name})
    assert project.package == package_name


ODD = {
    "quotes": "a \"b\" 'c' \"\"\"d\"\"\" '''e''' ''",
    "a quote at the end": 'she said "so"',
    "backslashes": r"C:\new\table \\ \u0041 \N{DASH} \1",
    "a backslash at the end": "C:\\",
    "accents, Chinese, emoji": "Zoë čte 数字识别 \U0001f522 \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "right to left": "זוהי \u202bבדיקה\u202c",
    "braces": "{{ x }} {% if %} {# no #} ${{ y }} }} %}",
    "signs of YAML": "# a: b - [c] & * ! | > %d @e `f`: ",
    "yes": "yes",
    "a number": "1.10",
    "a date": "2024-01-01",
    "null": "null",
    "a tilde": "~",
    "spaces around": "  wide  ",
    "Markdown": "# *a* _b_ __c__ `d` [e](f) <b>g</b> ![h](i) ~~j~~ a|b &amp; 1. + - \\*",
    "a numbered list in Markdown": "1. one",
    "another numbered list in Markdown": "10) ten",
    "a list in Markdown": "- one",
    "a rule in Markdown": "---",
    "an underline in Markdown": "===",
    "a heading in Markdown": "# one #",
    "a link": "https://example.org/a_b_c and www.example.org",
    "a long line": LONG,
    "a long word": "x" * 2000,
    "a long word of quotes": '"\\' * 1000,
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_an_odd_text_comes_out_right_everywhere(
    text: str, thin_template: Path, tmp_path: Path
) -> None:
    answers = {"project_name": text, "description": text, "user_name": text, "package_name": "d2"}
    project = render(thin_template, tmp_path / "project", {**EVERYTHING, **answers})

    recorded = {name: project.answers[name] for name in answers}
    assert recorded == answers

    texts = project.texts()
    metadata = tomllib.loads(texts["pyproject.toml"])["project"]
    assert metadata["description"] == text
    assert metadata["authors"] == [{"name": text}]

    assert text in texts["LICENSE"]
    docstring = ast.get_docstring(ast.parse(texts["src/d2/__init__.py"]), clean=False)
    assert docstring and "".join(docstring.split()) == "".join(text.split())

    blocks = shown_text(texts["README.md"])
    assert blocks[:2] == [("h1", text.strip()), ("p", text.strip())]

    assert ruff_complaints(project.folder, "check") == ""
    assert ruff_complaints(project.folder, "format", "--check") == ""


def shown_text(markdown: str) -> list[tuple[str, str]]:
    """The blocks of a Markdown text as a reader sees them: tag and plain text, no formatting."""
    tokens = MarkdownIt("commonmark").parse(markdown)
    blocks = []
    for before, token in zip(tokens, tokens[1:], strict=False):
        if token.type == "inline":
            parts = token.children or []
            plain = all(part.type in ("text", "text_special", "softbreak") for part in parts)
            text = "".join("\n" if p.type == "softbreak" else p.content for p in parts)
            blocks.append((before.tag if plain else "formatted", text))
    return blocks


def test_an_empty_author_leaves_no_trace(thin_template: Path, tmp_path: Path) -> None:
    project = render(thin_template, tmp_path / "project", {**DEFAULT, "project_name": "Seven"})
    texts = project.texts()
    assert "authors" not in tomllib.loads(texts["pyproject.toml"])["project"]
    assert "the authors of Seven" in texts["LICENSE"]
    assert as_data(DEFAULT)["platforms"] == ["windows", "macos", "linux"]
