"""A type checker has nothing to say: about the template's own Python, and about any project."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from children import run_child
from rendering import ROOT, Project, render, render_all
from toml import tomllib
from variants import DEFAULT, SYSTEMS, covering

pytestmark = pytest.mark.full
SYS_PLATFORM = {"windows": "win32", "macos": "darwin", "linux": "linux"}


@pytest.fixture(scope="module")
def projects(thin_template: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Project]:
    """Projects with each pair of answers, under different package names for one run of mypy."""
    rows = covering()
    named = [{**row, "package_name": f"variant_{number}"} for number, row in enumerate(rows)]
    return render_all(thin_template, tmp_path_factory.mktemp("typed"), named)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy knows about torch, which takes it half a minute to find out."""
    return tmp_path_factory.mktemp("mypy")


def complaints(what: Sequence[str | Path], *, cwd: Path, cache: Path) -> str:
    """What mypy says; nothing if all is well."""
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", cache, *what]
    ended = run_child(command, cwd=cwd, timeout_s=400)
    return "" if ended.code == 0 else ended.output


def test_a_project_with_default_answers_is_typed(
    thin_template: Path, tmp_path: Path, cache: Path
) -> None:
    project = render(thin_template, tmp_path / "project", DEFAULT)
    assert complaints([], cwd=project.folder, cache=cache) == ""


def test_the_tests_and_the_commands_are_typed(cache: Path) -> None:
    assert (
        complaints(["benchmarks", "hooks", "noxfile.py", "scripts", "tests"], cwd=ROOT, cache=cache)
        == ""
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_projects_are_typed_on_each_of_their_systems(
    system: str, projects: list[Project], cache: Path
) -> None:
    sources = [p.folder / "src" / p.package for p in projects if system in p.answers["platforms"]]
    options: list[str | Path] = ["--platform", SYS_PLATFORM[system], *sources]
    assert len(sources) > 5
    # All have the same settings in pyproject.toml, but for the modules that have no types.
    texts = [(p.folder / "pyproject.toml").read_text(encoding="utf-8") for p in projects]
    untyped = {
        tuple(tomllib.loads(text)["tool"]["mypy"]["overrides"][0]["module"]) for text in texts
    }
    together = str(sorted({module for modules in untyped for module in modules}))
    settings = re.sub(r"^module = .*", f"module = {together}", texts[0], flags=re.M)
    (cache / "pyproject.toml").write_text(settings, encoding="utf-8")
    options += ["--config-file", cache / "pyproject.toml"]
    assert complaints(options, cwd=projects[0].folder, cache=cache) == ""
