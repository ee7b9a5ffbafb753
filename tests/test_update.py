"""`copier update` without trust: the user's files stay, the rest becomes that of the new template."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from copier import run_copy, run_update

from rendering import ROOT, Project, as_data, export_template, open_project, render
from variants import DEFAULT, Answers

RUNTIME = "template/src/{{package_name}}/runtime"
YOURS = ("config.py", "model.py", "train.py", "data.py")


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "core.autocrlf=false", *arguments]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, encoding="utf-8", timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A repository of the template with two versions: v0.0.1, made up, and v0.0.2, as it is here."""
    newest = export_template(tmp_path / "newest", thin=True)
    repository = tmp_path / "template"
    newest.rename(repository)
    git(repository, "init", "--quiet")

    # The earlier version: other lines in a file of runtime/, in one of the user's and in one that
    # is rendered; a file that has gone since, and one that is new since.
    changed = {
        f"{RUNTIME}/batches.py": ("from __future__", "# An old remark.\nfrom __future__"),
        f"{RUNTIME}/plan.py.jinja": ("MOST_PER_CPU = 4\n", "MOST_PER_CPU = 3\n"),
        "template/src/{{package_name}}/model.py": ("channels: int = 32", "channels: int = 16"),
        "template/README.md.jinja": ("## Start", "## Beginning"),
    }
    new_contents = {name: (repository / name).read_text(encoding="utf-8") for name in changed}
    for name, (new, old) in changed.items():
        assert new in new_contents[name], f"{name} has no {new!r} any more: mend this test"
        content = new_contents[name].replace(new, old, 1)
        (repository / name).write_bytes(content.encode())
    report = repository / RUNTIME / "report.py"
    report_content = report.read_bytes()
    report.unlink()
    gone = repository / RUNTIME / "old.py"
    gone.write_text('"""An old module."""\n')
    commit(repository, "earlier")
    git(repository, "tag", "v0.0.1")

    for name, content in new_contents.items():
        (repository / name).write_bytes(content.encode())
    report.write_bytes(report_content)
    gone.unlink()
    commit(repository, "newest")
    git(repository, "tag", "v0.0.2")
    return repository


def copy_first_version(history: Path, folder: Path, answers: Answers) -> Project:
    run_copy(
        str(history),
        folder,
        data=as_data(answers),
        vcs_ref="v0.0.1",
        defaults=True,
        quiet=True,
        unsafe=False,
    )
    git(folder, "init", "--quiet")
    commit(folder, "first")
    return open_project(folder)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({}, {}, marks=pytest.mark.full),
        ({}, {"gpu": "cuda", "cluster": "slurm", "notebook": True, "frozen": "pyinstaller"}),
        (
            {"platforms": ("linux",), "ci": "none", "licence": "none", "python_version": "3.10"},
            {
                "platforms": ("windows", "macos"),
                "ci": "github",
                "licence": "MIT",
                "user_name": "Ada",
            },
        ),
        pytest.param(
            {
                "gpu": "rocm",
                "cluster": "slurm",
                "notebook": True,
                "frozen": "pyinstaller",
                "dataset": "images",
            },
            {
                "gpu": "cpu",
                "cluster": "none",
                "notebook": False,
                "frozen": "no",
                "description": 'It is "new".',
            },
            marks=pytest.mark.full,
        ),
    ],
)
def test_an_update_equals_a_fresh_project_outside_the_users_files(
    before: Answers, after: Answers, history: Path, tmp_path: Path
) -> None:
    project = copy_first_version(history, tmp_path / "project", {**DEFAULT, **before})
    assert (project.source / "runtime" / "old.py").exists()
    assert not (project.source / "runtime" / "report.py").exists()
    users: dict[Path, bytes] = {}
    for name in YOURS:
        path = project.source / name
        users[path] = path.read_bytes().replace(b"YOURS.", b"MINE.") + b"\n# Mine.\n"
        path.write_bytes(users[path])
    own = project.source / "augment.py"
    own.write_text("# A module of the user's own.\n")
    users[own] = own.read_bytes()
    commit(project.folder, "my own work")

    run_update(
        project.folder,
        data=as_data(after),
        defaults=True,
        overwrite=True,
        quiet=True,
        unsafe=False,
    )

    assert "<<<<<<<" not in "".join(project.texts().values())
    git(project.folder, "diff", "--check")
    assert not list(project.folder.rglob("*.rej"))
    assert {path: path.read_bytes() for path in users} == users
    fresh = render_version(history, tmp_path / "fresh", {**DEFAULT, **before, **after})
    for path in users:
        path.unlink()
        (fresh.folder / path.relative_to(project.folder)).unlink(missing_ok=True)
    assert contents(project) == contents(fresh)


def render_version(history: Path, folder: Path, answers: Answers) -> Project:
    run_copy(
        str(history),
        folder,
        data=as_data(answers),
        vcs_ref="v0.0.2",
        defaults=True,
        quiet=True,
        unsafe=False,
    )
    return open_project(folder)


def contents(project: Project) -> dict[str, bytes]:
    """What the files of a project hold, by their paths below it."""
    return {
        path.relative_to(project.folder).as_posix(): path.read_bytes() for path in project.files()
    }


def test_nothing_in_the_template_needs_trust() -> None:
    text = (ROOT / "copier.yml").read_text(encoding="utf-8")
    included = [path.read_text(encoding="utf-8") for path in (ROOT / "includes").glob("*.yml")]
    keys = {line.split(":")[0] for part in (text, *included) for line in part.splitlines()}
    assert keys & {"_tasks", "_migrations", "_jinja_extensions", "_external_data"} == set()
    assert {"_subdirectory", "_answers_file"} <= keys


def test_a_new_project_from_a_repository_remembers_where_it_came_from(
    history: Path, tmp_path: Path
) -> None:
    answers = {**DEFAULT, "gpu": "cuda"}  # with which every question is asked
    project = render_version(history, tmp_path / "project", answers)
    recorded: dict[str, Any] = yaml.safe_load(project.texts()[".copier-answers.yml"])
    assert recorded["_commit"] == "v0.0.2"
    assert recorded["_src_path"] == str(history)
    asked = {name: value for name, value in recorded.items() if name[0] != "_"}
    assert asked == as_data(answers)  # and none of the computed ones


def test_rendering_twice_gives_the_same(thin_template: Path, tmp_path: Path) -> None:
    first, second = (
        render(thin_template, tmp_path / name / "project", DEFAULT) for name in ("a", "b")
    )
    assert contents(first) == contents(second)
