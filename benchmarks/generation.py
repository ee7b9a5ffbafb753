"""`copier copy` and `copier update` of this template, beside two well-known ones.

The others come from GitHub, or from a folder: --peer copier-uv=PATH. Each template is put into a
git repository of its own, in which a second version adds a file, so that an update has something to
do.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jinja2
import yaml

from .child import ROOT
from .measuring import rounded, spread, take_turns
from .page import Block, Table, cell
from .rendered import Bench

OWN = "safe-torch-template"
PEERS = {
    "copier-uv": "https://github.com/pawamoy/copier-uv.git",
    "scientific-python/cookie": "https://github.com/scientific-python/cookie.git",
}
ANSWERS: dict[str, dict[str, str]] = {
    OWN: {"project_name": "measured"},
    "copier-uv": {
        "project_name": "measured",
        "project_description": "A project that is measured",
        "author_fullname": "Ada Lovelace",
        "author_email": "ada@example.org",
        "author_username": "ada",
    },
    "scientific-python/cookie": {
        "project_name": "measured",
        "org": "example",
        "url": "https://example.org/measured",
        "full_name": "Ada Lovelace",
        "email": "ada@example.org",
        "project_short_description": "A project that is measured",
        "license": "BSD",
        "backend": "hatch",
        "docs": "sphinx",
        "vcs": "true",
    },
}
"""What has no default."""
ROUNDS = 3
LIMIT_S = 180.0
FIRST, SECOND = "v0.0.1", "v0.0.2"


def measure(bench: Bench) -> list[dict[str, Any]]:
    """Seconds of copies and updates, by template, and the size of what is made."""
    found: dict[str, dict[str, Any]] = {}
    for name, address in {OWN: str(ROOT), **PEERS}.items():
        found[name] = {"template": name}
        try:
            template = bench.folder / "templates" / name.replace("/", "-")
            found[name]["version"] = prepare(bench.peers.get(name, address), template)
        except (subprocess.SubprocessError, OSError) as error:
            found[name]["problem"] = f"cannot be fetched: {error}"[:200]
    names = [name for name, row in found.items() if "problem" not in row]
    folders = iter(range(10**6))

    def generate(name: str) -> dict[str, Any] | str:
        template = bench.folder / "templates" / name.replace("/", "-")
        project = bench.folder / "generated" / f"{next(folders)}"
        try:
            one = generate_once(name, template, project)
        except subprocess.CalledProcessError as error:
            return f"copier says: {(error.stderr or '').strip()[-200:]}"
        print(name, one, flush=True)
        return one

    for name, all_found in take_turns(names, bench.rounds(ROUNDS), generate).items():
        problems = [one for one in all_found if isinstance(one, str)]
        good = [one for one in all_found if not isinstance(one, str)]
        if problems:
            found[name]["problem"] = problems[0]
        if good:
            found[name].update({key: [one[key] for one in good] for key in ("copy", "update")})
            found[name].update(files=good[0]["files"], lines=good[0]["lines"])
    return list(found.values())


def prepare(address: str, template: Path) -> str:
    """Clone a template into two versions of its own; returns what it was."""
    template.parent.mkdir(parents=True, exist_ok=True)
    command = ["git", "clone", "--quiet", "--no-local", address, str(template)]
    subprocess.run(command, check=True, capture_output=True, timeout=LIMIT_S)
    version = git(template, "describe", "--tags", "--always")
    for tag in git(template, "tag", "--list").split():
        git(template, "tag", "--delete", tag)
    git(template, "tag", FIRST)
    settings = read_settings(template)
    subdirectory = jinja2.Template(settings.get("_subdirectory", ".")).render()
    added = template / subdirectory / "ADDED.md"
    added.write_text("A new file.\n")
    git(template, "add", "--all")
    git(template, "commit", "--quiet", "--no-verify", "--message", "Add a file")
    git(template, "tag", SECOND)
    return version


def read_settings(template: Path) -> dict[str, Any]:
    """The settings of a template, without its questions."""

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!include", lambda loader, node: {})
    file = next(template.glob("copier.y*ml"))
    documents = yaml.load_all(file.read_text(encoding="utf-8"), Loader)
    return {
        key: value
        for document in documents
        for key, value in (document or {}).items()
        if key.startswith("_")
    }


def generate_once(name: str, template: Path, project: Path) -> dict[str, Any]:
    """Copy the first version, update to the second."""
    answers = [f"--data={key}={value}" for key, value in ANSWERS[name].items()]
    # What others need to run their extensions; this template needs no trust.
    trust = [] if name == OWN else ["--trust"]
    options = ["--defaults", "--quiet", *trust]
    started_s = time.perf_counter()
    copier("copy", *options, f"--vcs-ref={FIRST}", *answers, str(template), str(project))
    copy_s = time.perf_counter() - started_s
    sizes = count(project)
    git(project, "init", "--quiet")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--no-verify", "--message", "A project")
    started_s = time.perf_counter()
    copier("update", *options, f"--vcs-ref={SECOND}", str(project))
    update_s = time.perf_counter() - started_s
    assert list(project.glob("ADDED.md")), f"{name}: the update added nothing"
    shutil.rmtree(project)
    return {"copy": rounded(copy_s), "update": rounded(update_s), **sizes}


def count(project: Path) -> dict[str, int]:
    """Files of a project, and the lines of those that are text."""
    files = [file for file in project.rglob("*") if file.is_file()]
    contents = [file.read_bytes() for file in files if ".git" not in file.parts]
    lines = sum(content.count(b"\n") for content in contents if b"\0" not in content)
    return {"files": len(contents), "lines": lines}


def copier(*arguments: str) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "copier", *arguments]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=LIMIT_S)


def git(folder: Path, *arguments: str) -> str:
    """What git says, as somebody without settings."""
    who = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org"]
    command = ["git", *who, "-c", "commit.gpgsign=false", *arguments]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def present(result: list[dict[str, Any]]) -> list[Block]:
    """A table, and what could not be measured."""
    rows, problems = [], []
    for row in result:
        if row.get("problem"):
            problems.append(f"{row['template']}: {row['problem']}")
        if row.get("copy"):
            sizes = [str(row["files"]), f"{row['lines']:,}"]
            times = [cell(spread(row["copy"])), cell(spread(row["update"]))]
            rows.append([f"{row['template']} {row['version']}", *sizes, *times])
    return [
        "Seconds of the commands, with default answers, from a repository on the same disk. The "
        "update goes to a version that has one file more. This template's digits are arrays "
        "here; its 600 image files are in the template all the same, and cost each copy a moment.",
        Table(["template", "files", "lines of text", "copier copy", "copier update"], rows),
        *(["Not measured: " + "; ".join(problems) + "."] if problems else []),
    ]
