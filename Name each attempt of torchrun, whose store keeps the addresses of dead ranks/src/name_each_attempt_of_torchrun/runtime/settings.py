"""Settings in files: a TOML file says the same as the flags of the command line."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import tomli_w

from .errors import ProjectError, UsageError
from .files import write_whole


def read_settings(path: Path) -> list[str]:
    """Read a TOML file as command-line flags, so that both are checked in the same way.

    `batch_size = 64` becomes `--batch-size 64`, a key of a table `--table.key`.

    Raises:
        ProjectError: the file is missing or no TOML.
    """
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ProjectError(f"{path} cannot be read ({error.strerror}).") from error
    except ValueError as error:  # of TOML and of UTF-8
        raise ProjectError(f"{path} is no TOML file in UTF-8: {error}.") from error
    return list(as_flags(settings))


def as_flags(settings: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield the flags that say the same as a table of settings."""
    for key, value in settings.items():
        name = prefix + key.replace("_", "-")
        if isinstance(value, dict):
            yield from as_flags(value, f"{name}.")
        elif isinstance(value, bool):
            yield f"--{name}" if value else f"--{prefix}no-{key.replace('_', '-')}"
        elif isinstance(value, (str, int, float)) and key != "help":
            yield f"--{name}={value}"
        else:
            raise UsageError(f"{name} is {value!r}, but expected a setting with text or a number.")


def write_settings(settings: Any, path: Path) -> None:
    """Write the fields of a dataclass as TOML; those that are None are left out."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(part) for key, part in value.items() if part is not None}
        return str(value.absolute()) if isinstance(value, Path) else value

    write_whole(path, tomli_w.dumps(plain(asdict(settings))).encode())
