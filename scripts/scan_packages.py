"""Scans the source distributions of well-known packages with spawnsafe, and counts what it reports.

python scripts/scan_packages.py FOLDER [PACKAGE ...] downloads with pip what is not in the folder yet,
without its dependencies, and prints each report, and one line for each package.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "hooks"))

from spawnsafe.cli import main as spawnsafe  # noqa: E402

PACKAGES = (
    "accelerate", "albumentations", "datasets", "diffusers", "joblib", "kornia", "lightning",
    "monai", "nnunetv2", "scikit-learn", "sentence-transformers", "speechbrain", "timm", "torch",
    "torch-geometric", "torchgeo", "torchvision", "transformers", "ultralytics", "webdataset",
)  # fmt: skip


def fetch(package: str, folder: Path) -> Path | None:
    """Download and unpack a package: its source distribution, or its wheel if it has none."""
    target = folder / package
    if target.exists():
        return target
    for options in (["--no-binary", ":all:"], []):
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *options, package]
        downloads = folder / "downloads" / package
        if subprocess.run([*command, "-d", downloads], capture_output=True).returncode == 0:
            break
    for archive in sorted((folder / "downloads" / package).glob("*")):
        if archive.suffix == ".gz":
            with tarfile.open(archive) as tar:
                tar.extractall(target, filter="data")
        else:
            with zipfile.ZipFile(archive) as wheel:
                wheel.extractall(target)
        return target
    return None


def scan(folder: Path) -> list[dict[str, object]]:
    """What spawnsafe reports about a folder."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        spawnsafe([str(folder), "--format", "json", "--no-cache"])
    found: list[dict[str, object]] = json.loads(out.getvalue())
    return [report for report in found if report["code"] is not None]


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    for package in sys.argv[2:] or PACKAGES:
        source = fetch(package, folder)
        if source is None:
            print(f"{package}: could not be downloaded")
            continue
        found = scan(source)
        for report in found:
            place = Path(str(report["path"])).relative_to(folder)
            print(f"{place}:{report['line']}: {report['code']} {report['message']}")
        lines = sum(path.read_bytes().count(b"\n") for path in source.rglob("*.py"))
        kinds = Counter(str(report["severity"]) for report in found)
        print(f"{package}: {lines} lines, {kinds['error']} errors, {kinds['warning']} warnings")


if __name__ == "__main__":
    main()
