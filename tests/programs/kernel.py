"""Runs cells in a kernel of this Python, one after the other; prints what each shows as JSON.

python kernel.py FILE     where FILE holds a list of cells as JSON
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from jupyter_client.manager import start_new_kernel

TIMEOUT_S = 300


def run(cells: list[str]) -> list[list[Any]]:
    """The messages that each cell sent: their types, and what is in them."""
    manager, client = start_new_kernel(kernel_name="python3", startup_timeout=TIMEOUT_S)
    shown: list[list[Any]] = []
    try:
        for cell in cells:
            shown.append([])
            reply = client.execute_interactive(
                cell,
                timeout=TIMEOUT_S,
                allow_stdin=False,
                output_hook=lambda message: shown[-1].append(
                    [message["msg_type"], message["content"]]
                ),
            )
            if reply["content"]["status"] != "ok":
                break
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
    return shown


if __name__ == "__main__":
    print(json.dumps(run(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))))
