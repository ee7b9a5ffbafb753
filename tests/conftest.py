"""What several tests share."""

from __future__ import annotations

import importlib
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from forms import FORMS, Form
from rendering import Project, export_template, render
from running import HERE, require_runnable
from spawnsafe import config
from variants import DEFAULT

Load = Callable[[str], ModuleType]
EVERYTHING = {
    **DEFAULT,
    "gpu": "cuda",
    "cluster": "slurm",
    "tracking": "tensorboard",
    "notebook": True,
    "frozen": "pyinstaller",
    "python_version": "3.10",
}
"""One variant that holds all code there is, for three systems and each Python."""

# A script's shell has what it starts in the background ignore Ctrl-C, and so would all programs
# of the tests.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With -n 2: the tests of a file share what is costly, and stay together; variants do not."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.split("::")[0]
            apart = file.endswith(("test_training.py", "test_loading.py", "test_resume.py"))
            return nodeid if apart else file

    return ByFile(config, log)


@pytest.fixture(scope="session", autouse=True)
def nothing_of_this_person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the settings of whoever runs the tests out: Copier's answers and trust, git's name."""
    empty = tmp_path_factory.mktemp("settings") / "empty.yml"
    empty.write_text("{}\n")
    patch = pytest.MonkeyPatch()
    patch.setenv("COPIER_SETTINGS_PATH", str(empty))
    patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    for role in ("AUTHOR", "COMMITTER"):
        patch.setenv(f"GIT_{role}_NAME", "Tester")
        patch.setenv(f"GIT_{role}_EMAIL", "tester@example.org")
    yield
    patch.undo()


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The template as it lies here."""
    return export_template(tmp_path_factory.mktemp("template") / "whole")


@pytest.fixture(scope="session")
def thin_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The template with one image of each class: for what is looked at and never trained."""
    return export_template(tmp_path_factory.mktemp("template") / "thin", thin=True)


@pytest.fixture(scope="session")
def project(thin_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with default answers; tests that run it share it, and leave it as it is."""
    require_runnable(DEFAULT, HERE)
    return render(thin_template, tmp_path_factory.mktemp("default") / "project", DEFAULT)


@pytest.fixture(scope="session")
def everything(thin_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with all code there is."""
    return render(thin_template, tmp_path_factory.mktemp("everything") / "project", EVERYTHING)


@pytest.fixture(scope="session")
def load(everything: Project) -> Iterator[Load]:
    """Imports a module of that project into this process: load("runtime.plan")."""
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(everything.folder / "src")
    yield lambda name: importlib.import_module(f"{everything.package}.{name}")
    patch.undo()


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, whose settings spawnsafe reads anew."""
    monkeypatch.chdir(tmp_path)
    config.settings_for.cache_clear()
    config.project_for.cache_clear()


@pytest.fixture(scope="session")
def forms(
    thin_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Form]]:
    """A project for each form of data, imported into this process."""
    require_runnable(DEFAULT, HERE)
    patch = pytest.MonkeyPatch()
    rendered = {}
    for form in FORMS:
        answers = {**DEFAULT, "dataset": form, "package_name": f"with_{form}"}
        rendered[form] = Form(render(thin_template, tmp_path_factory.mktemp(form) / "p", answers))
        patch.syspath_prepend(rendered[form].project.folder / "src")
    yield rendered
    patch.undo()


@pytest.fixture
def no_cache_of_this_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a project makes of data and keeps goes to a folder of the test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache-of-user"))


@pytest.fixture
def own(thin_template: Path, tmp_path: Path) -> Project:
    """The default project, which a test may change and break."""
    require_runnable(DEFAULT, HERE)
    return render(thin_template, tmp_path / "own", DEFAULT)
