"""What a check says: how it stands, one sentence, the cure, and the page that says more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from ..runtime.explain import explain
from ..runtime.known_errors import PAGES

State = Literal["ok", "warning", "fault"]

LINES = 12
"""Of what a child printed, to be shown."""


class Check(NamedTuple):
    """One thing that was looked at."""

    id: str
    """Also the section of the page."""
    state: State
    sentence: str
    cure: str = ""
    """What to do; "python -m PACKAGE" stands for this project's command."""
    details: str = ""
    """Lines that belong to it, such as the stack of a worker."""

    @property
    def page(self) -> str:
        return f"{PAGES}/doctor.md#{self.id}"

    def as_dict(self) -> dict[str, str]:
        """For JSON."""
        return {**self._asdict(), "page": self.page}


def exit_code(checks: Iterable[Check]) -> int:
    """1 if there is a fault, else 0."""
    return int(any(check.state == "fault" for check in checks))


def fault_from_output(id: str, what: str, output: str, cure: str = "") -> Check:
    """A fault that a child process ended with: its last line, and what that means if it is known.

    Args:
        what: the beginning of the sentence, as in "torch cannot be imported".
    """
    lines = [line for line in output.splitlines() if line.strip()]
    last = lines[-1].strip().removeprefix("error: ") if lines else "it ended without a word"
    if "Timeout (" in output:  # then come stacks, which begin with the line that is at work
        stands = [line.strip() for line in lines if line.startswith("  File ")]
        last = f"it stands in {stands[0].removeprefix('File ')}" if stands else last
    row = explain(output)
    sentence = f"{what}: {last.rstrip('.')}{f'. {row.meaning}' if row else ''}"
    cure = cure or (row.cure if row else "The lines below say where.")
    return Check(id, "fault", sentence, cure, "\n".join(lines[-LINES:]) if len(lines) > 1 else "")
