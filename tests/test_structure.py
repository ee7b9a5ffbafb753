"""What is generated: the right files, well-formed, and nothing that was not asked for.

Each test looks at many projects at once and lists whatever is wrong in any of them.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from rendering import ROOT, Project, listed_files, read_questions, render_all, ruff_complaints
from spawnsafe.cli import main as spawnsafe
from toml import tomllib
from variants import (
    CHOICES,
    CODE_CHOICES,
    DEFAULT,
    SYSTEMS,
    Answers,
    covering,
    structural_combinations,
)

FILES: list[tuple[str, Callable[[Answers], bool], str]] = [
    (
        "always",
        lambda a: True,
        """
        .copier-answers.yml .gitignore .vscode/launch.json .pre-commit-config.yaml README.md pyproject.toml
        data/README.md
        src/PKG/__init__.py src/PKG/__main__.py src/PKG/cli.py src/PKG/config.py src/PKG/data.py
        src/PKG/model.py src/PKG/train.py
        src/PKG/runtime/__init__.py src/PKG/runtime/adapt.py src/PKG/runtime/ahead.py
        src/PKG/runtime/batches.py src/PKG/runtime/checkpoint.py src/PKG/runtime/debugging.py
        src/PKG/runtime/device.py
        src/PKG/runtime/dispatcher.py src/PKG/runtime/errors.py src/PKG/runtime/explain.py
        src/PKG/runtime/files.py src/PKG/runtime/generators.py src/PKG/runtime/interrupt.py
        src/PKG/runtime/known_errors.py src/PKG/runtime/loader.py
        src/PKG/runtime/machine.py src/PKG/runtime/metrics.py src/PKG/runtime/plan.py
        src/PKG/runtime/pool.py src/PKG/runtime/preflight.py src/PKG/runtime/process.py
        src/PKG/runtime/program.py src/PKG/runtime/progress.py src/PKG/runtime/ranks.py src/PKG/runtime/reader.py
        src/PKG/runtime/together.py
        src/PKG/runtime/report.py src/PKG/runtime/settings.py src/PKG/runtime/stacks.py
        src/PKG/runtime/start.py src/PKG/runtime/story.py src/PKG/runtime/tensors.py
        src/PKG/runtime/tuner.py src/PKG/runtime/watchdog.py src/PKG/runtime/wire.py
        src/PKG/runtime/worker.py
        src/PKG/doctor/__init__.py src/PKG/doctor/check.py src/PKG/doctor/child.py
        src/PKG/doctor/command.py src/PKG/doctor/imports.py src/PKG/doctor/install.py
        src/PKG/doctor/machine_checks.py src/PKG/doctor/pieces.py src/PKG/doctor/probe.py
        src/PKG/doctor/project_checks.py src/PKG/doctor/samples.py src/PKG/doctor/stall.py
        src/PKG/doctor/surroundings.py src/PKG/doctor/torch_checks.py src/PKG/doctor/torch_facts.py
        src/PKG/tune/__init__.py src/PKG/tune/chart.py src/PKG/tune/command.py
        src/PKG/tune/findings.py src/PKG/tune/saved.py src/PKG/tune/trials.py
        tests/conftest.py tests/test_data.py tests/test_imports.py tests/test_training.py
        """,
    ),
    (
        "Linux: a fork server, and torchrun on several machines",
        lambda a: "linux" in a["platforms"],
        "src/PKG/runtime/forkserver.py src/PKG/runtime/launcher.py src/PKG/runtime/preload.py",
    ),
    (
        "signals",
        lambda a: set(a["platforms"]) != {"windows"},
        "src/PKG/runtime/stacks_by_signal.py",
    ),
    ("no signals", lambda a: "windows" in a["platforms"], "src/PKG/runtime/stacks_by_file.py"),
    (
        "arrays",
        lambda a: a["dataset"] == "arrays",
        """
        data/digits/test_images.npy data/digits/test_labels.npy data/digits/train_images.npy
        data/digits/train_labels.npy data/digits/validation_images.npy
        data/digits/validation_labels.npy
        """,
    ),
    (
        "images: the first of each class, for the thin export leaves the others out",
        lambda a: a["dataset"] == "images",
        " ".join(
            f"data/digits/{split}/{digit}/000.png"
            for split in ("train", "validation", "test")
            for digit in range(10)
        ),
    ),
    (
        "HDF5",
        lambda a: a["dataset"] == "hdf5",
        """
        data/digits/train.h5 data/digits/validation.h5 data/digits/test.h5
        src/PKG/runtime/hdf5.py src/PKG/runtime/parts.py
        """,
    ),
    (
        "tables",
        lambda a: a["dataset"] == "tabular",
        """
        data/digits/train.parquet data/digits/validation.parquet data/digits/test.parquet
        src/PKG/runtime/cache.py src/PKG/runtime/table.py
        """,
    ),
    (
        "shards",
        lambda a: a["dataset"] == "stream",
        """
        data/digits/train-000.tar data/digits/train-001.tar data/digits/train-002.tar
        data/digits/train-003.tar data/digits/validation-000.tar data/digits/test-000.tar
        src/PKG/runtime/cache.py src/PKG/runtime/parts.py src/PKG/runtime/shards.py
        src/PKG/runtime/tar.py
        """,
    ),
    ("a notebook", lambda a: a["notebook"], "notebooks/train.ipynb src/PKG/runtime/cells.py"),
    (
        "an executable",
        lambda a: a["frozen"] == "pyinstaller",
        "src/PKG/runtime/bundle.py packaging/PKG.spec packaging/launch.py",
    ),
    # Copier keeps no answer to a question that it has not asked.
    ("SLURM", lambda a: a.get("cluster") == "slurm", "slurm/train.sbatch"),
    ("GitHub", lambda a: a["ci"] == "github", ".github/workflows/tests.yml"),
    ("a licence", lambda a: a["licence"] != "none", "LICENSE"),
]
"""Which files an answer asks for; PKG stands for the package."""

ONLY_FOR: list[tuple[str, Callable[[Answers], bool], str]] = [
    (
        "Linux",
        lambda a: "linux" in a["platforms"],
        r"fork ?server|preload|/dev/shm|slurm|cgroup|ubuntu",
    ),
    ("Windows", lambda a: "windows" in a["platforms"], r"win32|powershell|\.ps1|windows-latest"),
    ("macOS", lambda a: "macos" in a["platforms"], r'"darwin"|macos-latest'),
    (
        "notebook",
        lambda a: a["notebook"],
        r"notebook|jupyter|ipykernel|cloudpickle|\bcells?\b",
    ),
    (
        "what a notebook needs, and an executable leaves out",
        lambda a: a["notebook"] or a["frozen"] == "pyinstaller",
        r"ipython",
    ),
    ("executable", lambda a: a["frozen"] == "pyinstaller", r"pyinstaller|sys, .frozen|bundle"),
    ("images", lambda a: a["dataset"] in ("images", "stream"), r"pillow|\bPIL\b|(?<!tune)\.png"),
    ("arrays", lambda a: a["dataset"] == "arrays", r"\.npy"),
    ("HDF5", lambda a: a["dataset"] == "hdf5", r"hdf5|h5py|\.h5"),
    ("tables", lambda a: a["dataset"] == "tabular", r"pyarrow|parquet|runtime.table"),
    ("shards", lambda a: a["dataset"] == "stream", r"fsspec|runtime.shards|webdataset"),
    ("parts", lambda a: a["dataset"] in ("hdf5", "stream"), r"runtime.parts|shuffle_by_parts"),
    ("cache", lambda a: a["dataset"] in ("tabular", "stream"), r"make_once|/\.cache"),
    ("TensorBoard", lambda a: a["tracking"] == "tensorboard", r"tensorboard"),
    ("SLURM", lambda a: a.get("cluster") == "slurm", r"sbatch|srun|scontrol"),
    ("3.10", lambda a: a["python_version"] == "3.10", r"\btomli\b(?!-)"),
    ("GitHub", lambda a: a["ci"] == "github", r"workflows|github actions"),
]
"""Words that only a project for such answers may hold."""

MODULE_OF = {"PIL": "pillow"}
"""Names for pip that differ from those for import."""
TORCH_INDEX = {"cpu": "cpu", "cuda": "cu130", "rocm": "rocm7.2", "xpu": "xpu", "mps": None}
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
RUNNERS = {"windows": "windows-latest", "macos": "macos-latest", "linux": "ubuntu-latest"}


@pytest.fixture(scope="module", params=["covering", pytest.param("all", marks=pytest.mark.full)])
def projects(
    request: pytest.FixtureRequest, thin_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> list[Project]:
    """Projects with each pair of answers; in the full part, each structural combination too."""
    begin_with = structural_combinations() if request.param == "all" else []
    folder = tmp_path_factory.mktemp(request.param)
    return render_all(thin_template, folder, covering(begin_with))


def test_the_tests_know_every_question_and_every_choice() -> None:
    asked = {
        name: question
        for name, question in read_questions().items()
        if question.get("when") is not False
    }
    assert set(asked) == set(CHOICES)
    for name, question in asked.items():
        choices = question.get("choices", [])
        values = choices.values() if isinstance(choices, dict) else choices
        known = SYSTEMS if name == "platforms" else CHOICES[name]
        if values:
            found = {value["value"] if isinstance(value, dict) else value for value in values}
            assert found == set(known), name


def expected_files(project: Project) -> set[str]:
    wanted = (files for _, asked_for, files in FILES if asked_for(project.answers))
    return {name.replace("PKG", project.package) for files in wanted for name in files.split()}


def test_each_project_has_exactly_the_files_that_were_asked_for(projects: list[Project]) -> None:
    for project in projects:
        found = {path.relative_to(project.folder).as_posix() for path in project.files()}
        assert found == expected_files(project), project.answers


@pytest.mark.full
def test_answers_that_are_not_run_change_no_code(thin_template: Path, tmp_path: Path) -> None:
    """The tests of the training leave these answers out, since they change neither src/ nor tests/."""
    base = {**DEFAULT, "gpu": "cuda"}  # with which every other answer is possible
    left_out = [
        {**base, name: value}
        for name, values in CHOICES.items()
        for value in values
        if value not in CODE_CHOICES.get(name, [])
    ]
    default, *others = render_all(thin_template, tmp_path, [base, *left_out])
    assert len(others) > 10
    for other in others:
        assert code(other) == code(default), other.answers


def code(project: Project) -> dict[str, str]:
    texts = project.texts().items()
    return {name: text for name, text in texts if name.startswith(("src/", "tests/"))}


def test_no_file_is_empty_and_all_end_in_one_line_break(projects: list[Project]) -> None:
    for project in projects:
        assert [path for path in project.files() if path.stat().st_size == 0] == []
        for name, text in project.texts().items():
            assert re.search(r"[^\n]\n\Z", text), (project.folder, name)
            assert "\r" not in text and not re.search(r"[ \t]$", text, re.M), (project.folder, name)


def test_nothing_of_the_template_language_is_left(projects: list[Project]) -> None:
    left = [
        f"{project.folder / name}: {found[0]}"
        for project in projects
        for name, text in project.texts().items()
        # ${{ }} belongs to GitHub.
        if (found := re.search(r"(?<!\$)\{\{.*|\{[%#].*|.*jinja.*", text, re.I))
    ]
    assert left == [], "\n".join(left)


def test_nothing_is_there_that_was_not_asked_for(projects: list[Project]) -> None:
    left = [
        f"{project.folder / name}: {found[0]}, though not for {answer}"
        for project in projects
        for answer, asked_for, words in ONLY_FOR
        if not asked_for(project.answers)
        for name, text in project.texts().items()
        # Anybody may paste an error of another system.
        if name not in ("LICENSE", ".copier-answers.yml") and not name.endswith("/known_errors.py")
        if (found := re.search(words, text, re.I))
    ]
    assert left == [], "\n".join(left)


def test_every_file_parses(projects: list[Project]) -> None:
    for project in projects:
        for name, text in project.texts().items():
            parse(name, text, project.answers["python_version"])


def parse(name: str, text: str, python_version: str) -> None:
    """Raise whatever a parser raises."""
    if name.endswith((".py", ".spec")):
        ast.parse(text, name, feature_version=(3, int(python_version.removeprefix("3."))))
    elif name.endswith(".toml"):
        tomllib.loads(text)
    elif name.endswith((".yml", ".yaml")):
        yaml.safe_load(text)
    elif name.endswith(".json"):
        json.loads(text)
    elif name.endswith(".ipynb"):
        for cell in json.loads(text)["cells"]:
            if cell["cell_type"] == "code":
                parse("cell.py", "".join(cell["source"]), python_version)
    elif name.endswith(".sbatch"):
        if sys.platform == "linux":
            subprocess.run(["bash", "-n"], input=text, encoding="utf-8", check=True, timeout=60)
    else:
        assert name.endswith((".md", "LICENSE", ".gitignore")), f"no parser for {name}"


def test_ruff_has_nothing_to_say(projects: list[Project]) -> None:
    folder = projects[0].folder.parent
    assert ruff_complaints(folder, "check") == ""
    assert ruff_complaints(folder, "format", "--check") == ""
    bad = folder / "bad.py"
    bad.write_text("import sys,os\n")
    assert all(ruff_complaints(folder, *how) for how in (["check"], ["format", "--check"]))
    bad.unlink()


def test_file_names_are_safe_on_windows(projects: list[Project]) -> None:
    for project in projects:
        names = [path.relative_to(project.folder).as_posix() for path in project.files()]
        assert unsafe_on_windows(names) == []
    assert unsafe_on_windows(listed_files()) == []


def unsafe_on_windows(names: list[str]) -> list[str]:
    """Those of some paths that Windows cannot hold, and one of two that it cannot tell apart."""
    devices = ["con", "prn", "aux", "nul"] + [f"{d}{n}" for d in ("com", "lpt") for n in range(10)]
    found, seen = [], set()
    for name in names:
        parts = name.split("/")
        if (
            len(name) >= 150  # of about 260, the rest is for the folder around the project
            or name.lower() in seen
            or re.search(r'[<>:"|?*\\\x00-\x1f]', name)
            or any(part.endswith((".", " ")) for part in parts)
            or any(part.split(".")[0].lower() in devices for part in parts)
        ):
            found.append(name)
        seen.add(name.lower())
    return found


def test_python_versions_agree(projects: list[Project]) -> None:
    for project in projects:
        lowest, texts = project.answers["python_version"], project.texts()
        supported = PYTHONS[PYTHONS.index(lowest) :]
        metadata = tomllib.loads(texts["pyproject.toml"])["project"]
        assert metadata["requires-python"] == f">={lowest}"
        classifiers = re.findall(r"Python :: (3\.\d+)", " ".join(metadata["classifiers"]))
        assert classifiers == supported
        assert re.findall(r"Python (3\.\d+)", texts["README.md"]) == [lowest]
        if workflow := texts.get(".github/workflows/tests.yml"):
            matrix = yaml.safe_load(workflow)["jobs"]["tests"]["strategy"]["matrix"]
            assert matrix["python"] == supported
            assert matrix["os"] == [RUNNERS[system] for system in project.answers["platforms"]]


def test_versions_and_sources_of_torch_agree(projects: list[Project]) -> None:
    tested = re.search(r"^torch==(.+)$", (ROOT / "constraints.txt").read_text(), re.M)
    assert tested
    for project in projects:
        texts = project.texts()
        pyproject = tomllib.loads(texts["pyproject.toml"])
        torch = next(r for r in requirements(pyproject) if r.name == "torch")
        assert torch.specifier.contains(tested[1])
        indexes = {
            found
            for name in ("README.md", "pyproject.toml", f"src/{project.package}/runtime/device.py")
            for found in re.findall(r"download\.pytorch\.org/whl/([\w.]*)", texts[name])
        }
        wanted = TORCH_INDEX[project.answers["gpu"]]
        assert indexes == ({wanted} if wanted else set())
        # The doctor also knows the one for a card that the project was not set up for.
        doctor = texts[f"src/{project.package}/doctor/torch_checks.py"]
        assert f"whl/{TORCH_INDEX['cuda']}" in doctor


def test_spawnsafe_finds_nothing(
    projects: list[Project], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code = spawnsafe([*(str(p.folder) for p in projects), "--no-cache", "--jobs", "1"])
    output = "".join(capsys.readouterr())
    assert code == 0, output
    looked_at = int(re.findall(r"Nothing found in (\d+) files", output)[0])
    assert looked_at > 20 * len(projects)
    # It sees what is put into a project.
    name = projects[0].package
    broken = tmp_path / "src" / name / "train.py"
    shutil.copytree(projects[0].folder, tmp_path, dirs_exist_ok=True)
    broken.write_bytes(broken.read_bytes() + b"\nimport multiprocessing\nmultiprocessing.Pool(2)\n")
    assert spawnsafe([str(tmp_path), "--no-cache"]) == 1
    assert "SPS101" in capsys.readouterr().out


def test_ruff_of_pre_commit_is_one_that_the_project_allows(projects: list[Project]) -> None:
    for project in projects:
        texts = project.texts()
        listed = yaml.safe_load(texts[".pre-commit-config.yaml"])["repos"]
        hooks = [repository for repository in listed if "ruff" in repository["repo"]]
        ruff = next(
            r
            for r in requirements(tomllib.loads(texts["pyproject.toml"]), "dev")
            if r.name == "ruff"
        )
        assert [ruff.specifier.contains(hook["rev"].removeprefix("v")) for hook in hooks] == [True]


def requirements(pyproject: dict[str, Any], extra: str | None = None) -> list[Requirement]:
    """What a project needs, or one of its extras."""
    metadata = pyproject["project"]
    listed = metadata["optional-dependencies"][extra] if extra else metadata["dependencies"]
    return [Requirement(text) for text in listed]


def test_dependencies_are_what_is_imported(projects: list[Project]) -> None:
    for project in projects:
        pyproject = tomllib.loads((project.folder / "pyproject.toml").read_text(encoding="utf-8"))
        declared = {requirement.name for requirement in requirements(pyproject)}
        assert imported_distributions(project, project.source) == declared, project.answers
        # The doctor asks for each of them.
        text = (project.source / "doctor" / "install.py").read_text(encoding="utf-8")
        listed = re.findall(r'"(\w+)"', text[text.index("MODULES = (") : text.index("\n)\n")])
        assert {MODULE_OF.get(name, name.replace("_", "-")) for name in listed} == declared
        of_tests = imported_distributions(project, project.folder / "tests")
        dev = {requirement.name for requirement in requirements(pyproject, "dev")}
        assert of_tests <= declared | dev


def imported_distributions(project: Project, folder: Path) -> set[str]:
    """The packages, by their names for pip, whose modules are imported below a folder."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in folder.rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules |= {
        node.module
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0
    }
    roots = {module.partition(".")[0] for module in modules} - {project.package}
    if "torch.utils.tensorboard" in modules:  # a part of torch that needs another package
        roots.add("tensorboard")
    standard = {*sys.stdlib_module_names, "tomllib"}  # which Python 3.10 does not know yet
    return {MODULE_OF.get(root, root.replace("_", "-")) for root in roots - standard}


def test_the_author_and_the_licence_are_where_they_belong(projects: list[Project]) -> None:
    for project in projects:
        answers, texts = project.answers, project.texts()
        metadata = tomllib.loads(texts["pyproject.toml"])["project"]
        author = {"name": answers["user_name"], "email": answers["user_email"]}
        author = {key: value for key, value in author.items() if value}
        assert metadata.get("authors", []) == ([author] if author else [])
        assert metadata.get("license", "none") == answers["licence"]
        if answers["licence"] in ("MIT", "BSD-3-Clause"):  # the text of Apache-2.0 names nobody
            holder = answers["user_name"] or f"the authors of {answers['project_name']}"
            assert holder in texts["LICENSE"]
        link = f"https://github.com/{answers['github_user']}/" if answers["github_user"] else None
        assert (link is None) == ("urls" not in metadata)
        assert all(url.startswith(str(link)) for url in metadata.get("urls", {}).values())


def test_files_that_the_readme_names_exist(projects: list[Project]) -> None:
    for project in projects:
        readme = project.texts()["README.md"]
        named = re.findall(r"\b(?:src|data|notebooks|packaging|tests)/[\w./]*", readme)
        missing = [
            n for n in named if not re.search("[A-Z]", n) and not (project.folder / n).exists()
        ]
        assert missing == [], project.folder


def test_the_launch_file_starts_commands_that_exist(projects: list[Project]) -> None:
    for project in projects:
        texts = project.texts()
        configurations = json.loads(texts[".vscode/launch.json"])["configurations"]
        started = [(c["module"], *c.get("args", [])) for c in configurations]
        package = project.package
        assert started == [(package, "train"), (package, "train", "--debug"), ("pytest",)]
        assert all(c["subProcess"] and c["type"] == "debugpy" for c in configurations)
        assert "debug: bool = False" in texts[f"src/{package}/cli.py"]
