"""Errors that say what to do."""


class ProjectError(Exception):
    """Something that the person at the keyboard can mend: shown as one message, no traceback."""


class UsageError(ProjectError):
    """A setting or a command line that cannot work: exit code 2 instead of 1."""


class LoadingError(Exception):
    """What a worker process has to say about an exception that cannot travel itself."""
