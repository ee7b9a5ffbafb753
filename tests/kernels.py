"""Kernels of notebooks, driven as people drive them; nothing of one may stay behind."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import psutil
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

from children import END_S, command_line, count_workers, kill_all, session_of
from rendering import Project
from running import TIMEOUT_S, variables

QUIET = ["--log-level=ERROR"]
"""ipykernel itself warns that its sockets are not encrypted."""


def run_all(
    sources: list[str], project: Project, system: str, folder: Path, *, times: int = 1
) -> list[list[Any]]:
    """Run All in a kernel that writes nothing and leaves nothing behind.

    Returns:
        The outputs of all cells, for each of the times.
    """
    new_notebook: Any = nbformat.v4.new_notebook
    new_cell: Any = nbformat.v4.new_code_cell
    notebook = new_notebook(cells=[new_cell(source) for source in sources])
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT_S,
        kernel_name="python3",
        extra_arguments=QUIET,
        resources={"metadata": {"path": str(project.folder / "notebooks")}},
    )
    outputs: list[list[Any]] = []
    environment = {**os.environ, **variables(project, system)}
    log = folder / "kernel.log"
    with log.open("wb") as stream:
        with client.setup_kernel(env=environment, stdout=stream, stderr=stream):
            provisioner: Any = client.km.provisioner  # type: ignore[union-attr]
            kernel = psutil.Process(provisioner.pid)
            for _ in range(times):
                outputs.append([])
                for number, cell in enumerate(notebook.cells):
                    outputs[-1] += client.execute_cell(cell, number)["outputs"]
            assert count_workers(kernel.children(recursive=True)) == 0
        assert left_by(kernel) == []
    assert noise_in(log) == ""
    assert [o for o in sum(outputs, []) if o.get("name") == "stderr"] == []
    return outputs


def left_by(kernel: psutil.Process) -> list[str]:
    """What of a kernel is still there a moment after it. Nothing of that is left here."""
    processes = session_of(kernel.pid)
    _, alive = psutil.wait_procs(processes, timeout=END_S)
    left = [text for process in alive if (text := command_line(process))]
    kill_all(alive, kernel.pid)
    return left


def noise_in(log: Path) -> str:
    """What a kernel has written itself, without what ipykernel says of its own tasks at its end."""
    own = r"Task was destroyed but it is pending!\n(task: <Task .* coro=<Kernel\..*>\n)"
    return re.sub(own, "", log.read_text())


@dataclass(frozen=True)
class Ran:
    """What came of a cell."""

    error: str
    """The name and the text of the exception, or nothing."""
    text: str
    """What it printed."""


class Kernel:
    """A kernel, to which cells are sent one by one."""

    def __init__(self, manager: KernelManager) -> None:
        self.manager = manager
        self.client: Any = manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=TIMEOUT_S)
        provisioner: Any = manager.provisioner
        self.process = psutil.Process(provisioner.pid)

    def run(self, source: str, then: tuple[str, Callable[[], None]] | None = None) -> Ran:
        """Run a cell.

        Args:
            then: a text, and what to do as soon as the cell has printed it.
        """
        texts = {"stdout": "", "stderr": ""}

        def look(message: Any) -> None:
            nonlocal then
            if message["msg_type"] == "stream":
                texts[message["content"]["name"]] += message["content"]["text"]
            if then and then[0] in texts["stdout"]:
                action, then = then[1], None
                action()

        options = {"timeout": TIMEOUT_S, "output_hook": look, "allow_stdin": False}
        content = self.client.execute_interactive(source, **options)["content"]
        assert texts["stderr"] == ""
        error = f"{content['ename']}: {content['evalue']}" if "ename" in content else ""
        return Ran(error, texts["stdout"])

    def workers(self) -> int:
        """How many there are now."""
        return count_workers(self.process.children(recursive=True))


@contextmanager
def kernel_of(project: Project, system: str, log: Path) -> Iterator[Kernel]:
    """A kernel that writes nothing itself, and is gone in the end."""
    manager = KernelManager(kernel_name="python3")
    with log.open("wb") as stream:
        environment = {**os.environ, **variables(project, system)}
        manager.start_kernel(
            extra_arguments=QUIET,
            env=environment,
            cwd=str(project.folder),
            stdout=stream,
            stderr=stream,
        )
        try:
            kernel = Kernel(manager)
            yield kernel
            kernel.client.stop_channels()
        finally:
            manager.shutdown_kernel(now=True)
    assert noise_in(log) == ""
    assert left_by(kernel.process) == []
