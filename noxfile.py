"""The commands of this repository: nox -s demo, tests, fast, windows, lint, bench."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import nox

nox.needs_version = ">=2024.4.15"
nox.options.sessions = ["tests"]

ROOT = Path(__file__).resolve().parent
CONSTRAINTS = str(ROOT / "constraints.txt")
OWN_PYTHON = ["benchmarks", "hooks", "noxfile.py", "scripts", "template", "tests"]


@nox.session(reuse_venv=True)
def demo(session: nox.Session) -> None:
    """Render a project with default answers, install it, train it, and show what came of it."""
    folder = next(path for path in demo_folders() if not path.exists())
    session.install("copier>=9.15", "-c", CONSTRAINTS)
    # An absolute source, for `copier update` to find it again; HEAD, for there may be no tag yet.
    options = ["--defaults", "--quiet", "--vcs-ref", "HEAD"]
    session.run("copier", "copy", *options, str(ROOT), str(folder))
    session.install("--editable", str(folder), "-c", CONSTRAINTS)
    package = next((folder / "src").glob("*/__main__.py")).parent.name
    session.chdir(folder)
    session.run("python", "-m", package, "train")

    names = sorted(f"{path.name}{'/' * path.is_dir()}" for path in folder.iterdir())
    print(f"\n{folder} holds:\n  {'  '.join(names)}")
    print("\nThe results are in:")
    for path in sorted((folder / "runs").rglob("*.*")):
        print(f"  {path.relative_to(folder)}")
    place, python = (
        f'"{path}"' if " " in str(path) else str(path)
        for path in (folder, Path(session.bin) / "python")
    )
    print(f"\nGo on, for example with:\n  cd {place}")
    print(f"  {python} -m {package} evaluate")
    print(f"  {python} -m {package} train --help")
    print("\nThe project's own commands are in its README.md.")


def demo_folders() -> Iterator[Path]:
    """Names for the folder of the demo: demo, demo-2, demo-3, and so on."""
    yield ROOT / "demo"
    yield from (ROOT / f"demo-{number}" for number in count(2))


@nox.session(reuse_venv=True)
def tests(session: nox.Session) -> None:
    """Run all tests; arguments after -- go to pytest."""
    session.install("-r", str(ROOT / "tests" / "requirements.txt"), "-c", CONSTRAINTS)
    session.run("python", "-m", "pytest", "-n2", *session.posargs)


@nox.session(venv_backend="none", default=False)
def fast(session: nox.Session) -> None:
    """Run the tests that take less than two minutes together."""
    # By way of `tests`, so that torch is installed once.
    session.notify("tests", ["-m", "not full", *session.posargs])


@nox.session(venv_backend="none", default=False)
def windows(session: nox.Session) -> None:
    """Run the tests that need Windows: its own Python, laid out in a cache folder, under Wine."""
    session.notify("tests", ["tests/test_windows.py", "-n0", *session.posargs])


@nox.session(reuse_venv=True, default=False)
def lint(session: nox.Session) -> None:
    """Check the style and the types of the template's own files and of a default project."""
    session.install("ruff")
    session.run("ruff", "check", *OWN_PYTHON)
    session.run("ruff", "format", "--check", *OWN_PYTHON)
    # The type checker needs torch, which is in the environment of the tests.
    session.notify("tests", ["tests/test_types.py", "-k", "not each_of_their_systems"])


@nox.session(reuse_venv=True, default=False)
def bench(session: nox.Session) -> None:
    """Measure all or some parts beside their alternatives; writes docs/benchmarks.md."""
    for folder in ("tests", "benchmarks"):
        requirements = str(ROOT / folder / "requirements.txt")
        session.install("-r", requirements, "-c", CONSTRAINTS)
    session.chdir(ROOT)
    session.run("python", "-W", "ignore", "-m", "benchmarks", *session.posargs)
