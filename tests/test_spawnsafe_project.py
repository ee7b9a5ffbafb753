"""spawnsafe and the template: projects use it; test_structure.py has it look at each variant."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from copier import run_copy
from jinja2 import Environment, FileSystemLoader

from children import run_child
from rendering import ROOT, Project, export_template, open_project, render
from spawnsafe import __version__
from spawnsafe.cli import main
from toml import tomllib
from variants import DEFAULT


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, encoding="utf-8", timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def findings(capsys: pytest.CaptureFixture[str], *paths: Path) -> str:
    """What spawnsafe says about files; nothing if all is well."""
    code = main([*map(str, paths), "--no-cache", "--jobs", "1"])
    captured = capsys.readouterr()
    return "" if code == 0 else captured.out + captured.err


def hooks_of(project: Project) -> list[dict[str, Any]]:
    text = (project.folder / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    repositories: list[dict[str, Any]] = yaml.safe_load(text)["repos"]
    return [entry for entry in repositories if entry["hooks"][0]["id"] == "spawnsafe"]


def test_the_templates_own_python_is_clean(capsys: pytest.CaptureFixture[str]) -> None:
    own = [ROOT / name for name in ("benchmarks", "hooks", "noxfile.py", "scripts", "template")]
    assert findings(capsys, *own, ROOT / "tests") == ""


def test_from_a_plain_folder_the_readme_says_how_to_add_the_hook(
    thin_template: Path, tmp_path: Path
) -> None:
    project = render(thin_template, tmp_path / "project", DEFAULT)
    readme = (project.folder / "README.md").read_text(encoding="utf-8")
    assert hooks_of(project) == []
    assert "- id: spawnsafe" in readme and "pre-commit autoupdate" in readme


def test_from_a_repository_the_hook_has_its_version(tmp_path: Path) -> None:
    repository = export_template(tmp_path / "template", thin=True)
    git(repository, "init", "--quiet")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "first")
    git(repository, "tag", "v1.2.3")
    folder = tmp_path / "project"
    run_copy(str(repository), folder, defaults=True, quiet=True, unsafe=False)
    (hook,) = hooks_of(open_project(folder))
    assert (hook["repo"], hook["rev"]) == (str(repository), "v1.2.3")
    assert "- id: spawnsafe" not in (folder / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("source", "commit", "wanted"),
    [
        ("gh:org/name", "v1.0.0", "https://github.com/org/name v1.0.0"),
        ("gh:org/name.git", "v1.0.0-3-gabc1234", "https://github.com/org/name abc1234"),
        ("gl:org/name", "abc1234", "https://gitlab.com/org/name abc1234"),
        ("https://example.org/a.git", "1.0", "https://example.org/a.git 1.0"),
        ("git+https://example.org/a.git", "v1.0", "https://example.org/a.git v1.0"),
        ("git+file:///srv/a", "v1.0", "file:///srv/a v1.0"),
        ("git@example.org:a/b.git", "v1.0", "git@example.org:a/b.git v1.0"),
        ("ssh://git@example.org/b.git", "v1.0", "ssh://git@example.org/b.git v1.0"),
        ("/srv/template", "v1.0.0", "/srv/template v1.0.0"),
        ("C:\\template", "v1.0.0", "C:\\template v1.0.0"),
        ("/srv/template", "v1.0.0-3-gabc1234", ""),
        ("/srv/template", "abc1234", ""),
        ("../template", "v1.0.0", ""),
        ("/srv/template", None, ""),
    ],
)
def test_the_repository_is_one_that_pre_commit_can_clone(
    source: str, commit: str | None, wanted: str
) -> None:
    environment = Environment(
        loader=FileSystemLoader(ROOT),
        extensions=["jinja2_ansible_filters.AnsibleCoreFiltersExtension"],
    )
    text = (
        '{% from "includes/checker.jinja" import repository, revision with context %}'
        "{{ repository() }}{% if repository() %} {{ revision() }}{% endif %}"
    )
    answers = {"_src_path": source} | ({} if commit is None else {"_commit": commit})
    assert environment.from_string(text).render(_copier_answers=answers) == wanted


def test_the_hook_is_what_pre_commit_expects() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert hook["entry"] in settings["project"]["scripts"]
    assert (hook["id"], hook["language"]) == ("spawnsafe", "python")


@pytest.mark.full
def test_it_installs_from_the_repository(tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    run_child([sys.executable, "-m", "venv", environment], cwd=tmp_path, timeout_s=120)
    scripts = environment / ("Scripts" if sys.platform == "win32" else "bin")
    command: list[str | Path] = [scripts / "python", "-m", "pip", "install", "--quiet", ROOT]
    ended = run_child(command, cwd=tmp_path, timeout_s=300)
    assert ended.code == 0, ended.output
    for arguments in (["--version"], ["--explain", "SPS101"]):
        ended = run_child([scripts / "spawnsafe", *arguments], cwd=tmp_path, timeout_s=60)
        assert ended.code == 0, ended.output
    assert "bootstrapping" in ended.output
    ended = run_child(
        [scripts / "python", "-m", "spawnsafe", "--version"], cwd=tmp_path, timeout_s=60
    )
    assert ended.output.strip() == f"spawnsafe {__version__}"
