"""The command line: spawnsafe [PATHS]."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path

from spawnsafe import __version__
from spawnsafe.cache import Cache
from spawnsafe.check import Result
from spawnsafe.config import ConfigError, Settings, expand_codes, read_settings, settings_for
from spawnsafe.discover import find_files
from spawnsafe.report import FORMATS, in_one_line, severity
from spawnsafe.rules import ALL, UNUSED
from spawnsafe.run import check_all

CLEAN, FOUND, FAILED = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0: nothing found, 1: something found, 2: something could not be checked."""
    _print_any_text()
    options = make_parser().parse_args(arguments)
    if sys.stdout is None:
        print("spawnsafe: there is no output to write to: it is closed", file=sys.stderr)
        return FAILED
    try:
        status = _run(options)
        sys.stdout.flush()
        return status
    except ConfigError as error:
        print(f"spawnsafe: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:
        # The reader, such as head, has seen enough.
        _drop_output()
        return FOUND
    except OSError as error:
        print(f"spawnsafe: the report cannot be written: {error.strerror}", file=sys.stderr)
        _drop_output()
        return FAILED


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(options: argparse.Namespace) -> int:
    if options.explain is not None:
        return explain(options.explain)
    if options.rules:
        return list_rules()
    options.select = _codes(options.select, "--select")
    options.ignore = _codes(options.ignore, "--ignore")
    return check(options)


def _print_any_text() -> None:
    """A name that the terminal's encoding lacks is no reason to fail."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="spawnsafe",
        description="Find Python code that is unsafe when processes are started by spawn or"
        " forkserver. Nothing that is read is imported or run.",
        epilog="Exit status: 0 nothing found, 1 something found, 2 wrong usage or a file that"
        " could not be checked.",
    )
    parser.add_argument(
        "paths", nargs="*", type=Path, default=[Path(".")], metavar="PATH",
        help="files, notebooks and folders (default: this folder)",
    )  # fmt: skip
    parser.add_argument("--select", metavar="CODES", help="only these, as in SPS1,SPS301")
    parser.add_argument("--ignore", metavar="CODES", help="all but these")
    parser.add_argument("--format", choices=sorted(FORMATS), default="text", help="how to report")
    parser.add_argument("--explain", metavar="CODE", help="print the page of a rule")
    parser.add_argument("--rules", action="store_true", help="list all rules")
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="a pyproject.toml, in place of the nearest"
    )
    parser.add_argument("--jobs", type=_count, metavar="N", help="processes to use")
    parser.add_argument("--no-cache", action="store_true", help="read unchanged files again")
    parser.add_argument("--version", action="version", version=f"spawnsafe {__version__}")
    return parser


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes: use 1 or more")
    return int(text)


def explain(code: str) -> int:
    """Print the page of a rule."""
    wanted = next((r.code for r in ALL if code.upper() == r.code or code == r.name), None)
    if wanted is None and code.upper() == UNUSED:
        wanted = UNUSED
    if wanted is None:
        expand_codes([code], "--explain")
        raise ConfigError(f"--explain: {code} is the beginning of several codes; give a whole one")
    page = resources.files("spawnsafe") / "pages" / f"{wanted}.md"
    print(page.read_text(encoding="utf-8").rstrip())
    return CLEAN


def list_rules() -> int:
    print(f"{UNUSED}  warning  unused-suppression")
    for rule in ALL:
        print(f"{rule.code}  {rule.severity:7}  {rule.name}")
    return CLEAN


def check(options: argparse.Namespace) -> int:
    """Check all files, and report."""
    errors: list[tuple[Path, str]] = []
    files = list(find_files(options.paths, lambda path, why: errors.append((path, why))))
    jobs = [(path, _settings(path, options)) for path in files]
    if not jobs and not errors:
        print("spawnsafe: no Python files found", file=sys.stderr)
    cache = Cache(None if options.no_cache else Path.cwd())
    results = list(check_all(jobs, cache, options.jobs))
    checked = len(results)
    results += [Result(path, errors=[why]) for path, why in errors]
    for line in FORMATS[options.format](results, _wants_colour()):
        print(line)
    failures = [(result.path, why) for result in results for why in result.errors]
    for path, why in failures:
        print(f"{in_one_line(path)}: not checked: {why}", file=sys.stderr)
    if options.format == "text":
        _sum_up(results, checked, len(failures))
    return FAILED if failures else FOUND if any(result.reports for result in results) else CLEAN


def _settings(path: Path, options: argparse.Namespace) -> Settings:
    """The settings for a file; the command line has the last word."""
    if options.config is not None:
        settings = read_settings(options.config) or Settings()
    else:
        settings = settings_for(path.absolute().parent)
    if options.select is not None:
        settings = replace(settings, codes=options.select | {UNUSED})
    if options.ignore is not None:
        settings = replace(settings, codes=settings.codes - options.ignore)
    return settings


def _codes(given: str | None, where: str) -> frozenset[str] | None:
    return None if given is None else expand_codes(given.split(","), where)


def _wants_colour() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def _sum_up(results: list[Result], checked: int, failures: int) -> None:
    """One line that says how much was found, for people."""
    codes = [report.code for result in results for report in result.reports]
    files = f"{checked} file{'s' * (checked != 1)}"
    found = sum(severity(code) == "error" for code in codes)
    if codes:
        print(
            f"Found {found} error{'s' * (found != 1)} and {len(codes) - found} warning"
            f"{'s' * (len(codes) - found != 1)} in {files};"
            f" spawnsafe --explain {codes[0]} says more."
        )
    elif not failures:
        print(f"Nothing found in {files}.")
