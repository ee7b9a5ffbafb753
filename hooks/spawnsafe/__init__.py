"""spawnsafe: finds Python code that is unsafe when processes are started by spawn or forkserver."""

__version__ = "0.1.0"
