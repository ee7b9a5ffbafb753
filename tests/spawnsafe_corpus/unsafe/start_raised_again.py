"""An error that is raised again was not caught."""

import multiprocessing

try:
    multiprocessing.set_start_method("spawn")  # expect: SPS201
except RuntimeError:
    raise
