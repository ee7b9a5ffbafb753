"""spawnsafe as a command: what it prints, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from spawnsafe.cli import main


def test_a_loop_at_module_level_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "train.py"
    file.write_text(
        "from torch.utils.data import DataLoader\n"
        "for batch in DataLoader([1, 2], num_workers=2):\n"
        "    print(batch)\n"
    )
    assert main(["--no-cache", str(file)]) == 1
    assert f"{file}:2:14: SPS101 " in capsys.readouterr().out
