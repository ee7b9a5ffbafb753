"""Where the program starts: `python -m name_each_attempt_of_torchrun`, the command, an editor's Run button."""

import sys
from multiprocessing import freeze_support
from pathlib import Path


def main() -> int:
    """Run the command line; returns the exit code."""
    freeze_support()  # first: in a frozen program a worker process begins, and ends, in this call

    # After it, so that a frozen worker does not import what it does not need.
    from name_each_attempt_of_torchrun.runtime.explain import explain_uncaught

    explain_uncaught()
    try:
        from name_each_attempt_of_torchrun.cli import run
    except ImportError as error:  # something is not installed
        if sys.argv[1:2] != ["doctor"]:
            raise
        from name_each_attempt_of_torchrun.doctor.install import report_broken_install

        return report_broken_install(error, as_json="--json" in sys.argv)
    return run(sys.argv[1:])


# Under spawn, and for some ways to start on Linux too, every worker process imports this file
# again. Whatever stands outside this guard would run once more in each of them.
if __name__ == "__main__":
    if not __package__:  # started by its path: put src/ where Python put this folder
        sys.path[0] = str(Path(__file__).resolve().parents[1])
    sys.exit(main())
