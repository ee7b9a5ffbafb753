"""Draw docs/run.svg: what a person sees who renders the template and trains.

    python -m pip install -c constraints.txt copier rich   # and what a project depends on
    python scripts/make_picture.py

It renders the defaults, runs the real commands on a pseudo-terminal (so on macOS or Linux), and
draws what they printed.
"""

import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 100


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "myproj"
        copy = [
            sys.executable,
            "-m",
            "copier",
            "copy",
            "--quiet",
            "--defaults",
            "--vcs-ref",
            "HEAD",
        ]
        subprocess.run([*copy, str(ROOT), str(project)], check=True)
        output = run_on_terminal([sys.executable, "-m", "myproj", "train"], project)
    lines = [line.replace(f"{project}{os.sep}", "") for line in final_lines(output)]
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print("[bold]$ copier copy --defaults gh:org/safe-torch-template myproj && cd myproj")
    console.print("[bold]$ python -m myproj train")
    console.print(Text.from_ansi("\n".join(lines)))
    picture = console.export_svg(title="from nothing to a trained model")
    # Without fonts from the network, which a page that shows the picture may not fetch.
    picture = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)
    (ROOT / "docs" / "run.svg").write_text(picture, encoding="utf-8")


def run_on_terminal(command: list[str], project: Path) -> str:
    """Run a command in a project on a terminal of its own; returns all that it printed."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(project / "src"),
        "COLUMNS": str(WIDTH),
        "TERM": "xterm-256color",
    }
    controller, terminal = pty.openpty()
    child = subprocess.Popen(
        command, cwd=project, env=environment, stdin=terminal, stdout=terminal, stderr=terminal
    )
    os.close(terminal)
    output = b""
    while True:
        try:
            part = os.read(controller, 65536)
        except OSError:  # on Linux: the child has closed its side
            part = b""
        if not part:
            break
        output += part
    if child.wait() != 0:
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}:\n{output.decode()}")
    return output.decode()


def final_lines(output: str) -> list[str]:
    """The lines that are left on a terminal, without those that a progress bar wrote over."""
    lines: list[str] = []
    for line in output.replace("\x1b[?25l", "").replace("\x1b[?25h", "").split("\r\n"):
        for _ in range(line.count("\x1b[1A")):  # one line up, to write over it
            lines.pop()
        lines.append(re.split(r"\x1b\[2K", line)[-1].replace("\x1b[1A", "").replace("\r", ""))
    return lines


if __name__ == "__main__":
    main()
