"""The questions as a person at a terminal meets them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from rendering import Project, open_project, read_questions, render
from test_update import contents

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals to type into", allow_module_level=True)

import pexpect

ENTER = "\r"
ASKED = [name for name, question in read_questions().items() if "when" not in question]
"""Those that everybody is asked."""


@contextmanager
def typing_into_copier(template: Path, folder: Path, *options: str) -> Iterator[Any]:
    """`copier copy` at a terminal of its own, which is gone afterwards."""
    command = ["-m", "copier", "copy", *options, str(template), folder.name]
    terminal = pexpect.spawn(
        sys.executable,
        command,
        cwd=folder.parent,
        # A terminal that is no real one cannot say where its cursor is.
        env={**os.environ, "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm", "NO_COLOR": "1"},
        dimensions=(60, 250),
        encoding="utf-8",
        timeout=60,
    )
    terminal.delaybeforesend = None  # what is typed is read when the question has come
    try:
        yield terminal
    finally:
        terminal.close(force=True)


def first_words(name: str) -> str:
    """The beginning of a question, as a pattern."""
    return re.escape(str(read_questions()[name]["help"])[:30])


def test_enter_accepts_every_default(thin_template: Path, tmp_path: Path) -> None:
    (tmp_path / "typed").mkdir()
    with typing_into_copier(thin_template, tmp_path / "typed" / "digit-reader") as terminal:
        for name in ASKED:
            terminal.expect(first_words(name))
            terminal.send(ENTER)
        terminal.expect("is ready. Next steps:")
        assert "cd " in terminal.read()
        terminal.wait()
        assert terminal.exitstatus == 0
    typed: Project = open_project(tmp_path / "typed" / "digit-reader")
    expected = render(thin_template, tmp_path / "digit-reader", {})
    assert typed.package == "digit_reader"
    assert contents(typed) == contents(expected)


@pytest.mark.parametrize(
    ("platforms", "reasons"),
    [
        ("[linux]", ["MPS is the GPU of Apple computers: add macos to platforms"]),
        (
            "[macos]",
            [
                "CUDA needs Windows or Linux, and platforms has neither",
                "PyTorch for ROCm exists for Linux only: add linux",
                "XPU needs Windows or Linux, and platforms has neither",
            ],
        ),
    ],
)
def test_a_choice_that_cannot_be_is_shown_with_the_reason(
    platforms: str, reasons: list[str], thin_template: Path, tmp_path: Path
) -> None:
    options = [f"--data=platforms={platforms}", "--data=project_name=x"]
    with typing_into_copier(thin_template, tmp_path / "project", *options) as terminal:
        for name in ASKED[1:]:
            if name == "platforms":
                continue
            terminal.expect(first_words(name))
            if name == "gpu":
                break
            terminal.send(ENTER)
        for reason in reasons:
            terminal.expect_exact(reason)


def test_a_bad_answer_can_be_mended_at_once(thin_template: Path, tmp_path: Path) -> None:
    with typing_into_copier(thin_template, tmp_path / "project") as terminal:
        terminal.expect(first_words("project_name"))
        terminal.send(ENTER)
        terminal.expect(first_words("package_name"))
        terminal.sendcontrol("u")  # delete the default
        terminal.send("torch" + ENTER)
        terminal.expect_exact("torch_project, or another name")
        terminal.send("_net" + ENTER)
        terminal.expect(first_words("description"))
