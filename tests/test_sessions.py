"""The commands of this repository that run a part of the tests."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from unittest.mock import Mock

import noxfile
import pytest

from children import run_child
from rendering import ROOT


@pytest.mark.parametrize("name", ["fast", "windows", "lint"])
def test_a_session_that_chooses_tests_has_some(name: str) -> None:
    notify = Mock()
    session = SimpleNamespace(posargs=[], notify=notify, install=Mock(), run=Mock())
    getattr(noxfile, name)(session)
    (called, arguments), _ = notify.call_args
    assert called == "tests"
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", *arguments]
    ended = run_child(command, cwd=ROOT, timeout_s=120)
    assert ended.code == 0, ended.output
