"""Imported once, by the fork server: what its workers then have in memory from their first moment.

The only module of the project that does something when it is imported.
"""

import atexit
import os
import shutil
import signal
import sys
from importlib import import_module
from pathlib import Path

from .forkserver import TEMPORARY_FOLDER

assert sys.platform == "linux"

# Ctrl-C reaches every process of the terminal. The main process answers it; this one must not die.
signal.signal(signal.SIGINT, signal.SIG_IGN)


TRIAL = "import-trial"
"""Name of the copy in which the data module is tried, for whoever lists processes."""
DATA_MODULE = f"{__name__.split('.', 1)[0]}.data"


def remove_temporary_folder(folder: str, parent: int) -> None:
    """Remove the folder of this server's socket if the main process was killed, and could not."""
    if os.getppid() != parent:
        shutil.rmtree(folder, ignore_errors=True)


def import_in_a_copy(module: str) -> str:
    """Import a module in a forked copy of this process; say "clean", "threads" or "error"."""
    process_id = os.fork()
    if process_id == 0:
        verdict = 2
        try:
            Path("/proc/self/comm").write_text(TRIAL, encoding="ascii")
            os.close(2)  # the main process shows the same error
            import_module(module)
            verdict = 0 if len(os.listdir("/proc/self/task")) == 1 else 1
        finally:
            os._exit(verdict)
    _, status = os.waitpid(process_id, 0)
    return {0: "clean", 1: "threads"}.get(os.waitstatus_to_exitcode(status), "error")


# Called when the server ends; its workers end without it.
atexit.register(remove_temporary_folder, os.environ.pop(TEMPORARY_FOLDER, ""), os.getppid())
import_module("torch.utils.data")
import_module(f"{__package__}.worker")

match import_in_a_copy(DATA_MODULE):
    case "clean":
        import_module(DATA_MODULE)
    case "threads":
        print(
            f"{DATA_MODULE} starts threads when it is imported, which a fork server must not have. "
            "Each worker therefore imports it anew: correct, but slower to start. Better: start "
            "them on first use.",
            file=sys.stderr,
        )
