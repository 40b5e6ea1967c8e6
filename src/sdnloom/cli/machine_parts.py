"""Examines this machine: libraries by their metadata, programs by `--version`, and what a search wants of a machine.

No library is imported, and nothing is started but `--version` of programs that are found, each with a time limit.
"""

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import sdnloom
from sdnloom.engine.limits import resident_bytes
from sdnloom.report.doctor.machine import Machine, MachinePart, PartState

LONGEST = 5.0  # seconds that a program has to tell its version
_PYTHONS = (3, 11), (3, 13)  # oldest and newest that the tests run on


class _Library(NamedTuple):
    """A package, the module that it has, what it serves, and the extra that installs it."""

    package: str
    module: str
    serves: str
    extra: str = ""
    required: bool = False


class _Tool(NamedTuple):
    """A program, its package by installer, and what it serves."""

    name: str
    programs: tuple[str, ...]
    packages: Mapping[str, str]
    serves: str
    asked: str = "--version"


_LIBRARIES = (
    _Library("click", "click", "the command line", required=True),
    _Library("rich", "rich", "progress and colours", required=True),
    _Library("numpy", "numpy", "the engine", required=True),
    _Library("coverage", "coverage", "check --coverage, and lines that were never reached", required=True),
    _Library("numba", "numba", "the compiled engine: long searches are much slower without it", "numba"),
    _Library("os-ken", "os_ken", "os-ken and Ryu apps (--app, init)", "osken"),
    _Library("greenlet", "greenlet", "os-ken and Ryu apps (--app, init)", "osken"),
    _Library(
        "bitwuzla", "bitwuzla", "the solver: without it inputs, check --discover and crosscheck miss things", "symbolic"
    ),
    _Library("z3-solver", "z3", "another solver, for comparison", "z3"),
    _Library("networkx", "networkx", "topologies from GraphML files", "topologies"),
    _Library("topohub", "topohub", "named topologies (topohub:NAME)", "topologies"),
    _Library("ray", "ray", "searches in several processes and on several machines (check --cluster)", "cluster"),
    _Library("pytest", "pytest", "the sdnloom fixture in tests", "pytest"),
    _Library("faucet", "faucet", "Faucet as the controller (docs/faucet.md)", "faucet"),
    _Library("fissix", "fissix", "porting apps from Python 2 (docs/python2.md)", "fissix"),
)
_NO_EXTRA = {"numba", "pytest", "fissix"}  # packages that no extra of ours installs
_TOOLS = (
    _Tool(
        "Open vSwitch",
        ("ovs-vswitchd", "ovsdb-server", "ovsdb-tool", "ovs-vsctl"),
        {"apt": "openvswitch-switch", "brew": "openvswitch"},
        "confirm, and crosscheck with the agent openvswitch",
    ),
    _Tool(
        "tshark",
        ("tshark",),
        {"apt": "tshark", "brew": "wireshark"},
        "reading captures (--export FILE.pcapng, confirm --record)",
    ),
    _Tool("graphviz", ("dot",), {"apt": "graphviz", "brew": "graphviz"}, "drawing graphs (--export FILE.dot)", "-V"),
)


def examine_machine() -> Machine:
    """What this machine has."""
    parts = [_python(), *map(_library, _LIBRARIES), _numba_cache(), *map(_tool, _TOOLS), *_surroundings()]
    return Machine(
        sdnloom.__version__,
        platform.python_version(),
        f"{platform.system()} {platform.machine()}",
        os.cpu_count() or 1,
        _free_memory(),
        tuple(parts),
    )


def _python() -> MachinePart:
    oldest, newest = (".".join(map(str, each)) for each in _PYTHONS)
    serves = f"everything; tested on {oldest} to {newest}"
    found: PartState = "found" if sys.version_info[:2] >= _PYTHONS[0] else "unusable"
    newer = sys.version_info[:2] > _PYTHONS[1]
    advice = f"use Python {oldest} to {newest}: newer ones work with slower capture of waiting calls" if newer else ""
    return MachinePart("Python", found, platform.python_version(), serves, advice, required=True)


def _library(library: _Library) -> MachinePart:
    advice = (
        f"pip install {library.package}"
        if library.required or library.extra in _NO_EXTRA
        else f"pip install 'sdnloom[{library.extra}]'"
    )
    if library.extra == "faucet":
        advice += ", then Faucet itself as docs/faucet.md says"
    if importlib.util.find_spec(library.module) is None:
        return MachinePart(library.package, "missing", "", library.serves, advice, library.required)
    try:
        found = version(library.package)
    except PackageNotFoundError:
        found = ""  # a module without metadata, such as one of a source tree
    return MachinePart(library.package, "found", found, library.serves, advice, library.required)


def _tool(tool: _Tool) -> MachinePart:
    missing = [name for name in tool.programs if _which(name) is None]
    if missing:
        detail = "" if len(missing) == len(tool.programs) else f"without {', '.join(missing)}"
        return MachinePart(tool.name, "missing", detail, tool.serves, _install(tool))
    asked = _version_of([str(_which(tool.programs[0])), tool.asked])
    return MachinePart(tool.name, "found", asked, tool.serves, _install(tool))


def _which(name: str) -> str | None:
    """Where a program is; system programs are often not on the path of a user."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin:/sbin:/opt/homebrew/bin")


def _install(tool: _Tool) -> str:
    if shutil.which("apt-get"):
        return f"apt install {tool.packages['apt']}"
    return f"brew install {tool.packages['brew']}" if shutil.which("brew") else f"install {tool.name} for your system"


def _version_of(command: list[str]) -> str:
    """The first number with dots that a program prints about its version; empty if it says none in time."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LONGEST, stdin=subprocess.DEVNULL, check=False
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    number = re.search(r"\d+(?:\.\d+)+", f"{done.stdout}\n{done.stderr}")
    return number[0] if number else ""


def _numba_cache() -> MachinePart:
    """Where numba keeps compiled functions: without such a place they are compiled in every long run."""
    serves = "compiled functions are kept from run to run"
    for folder in _cache_folders():
        if _can_write(folder):
            return MachinePart("numba's cache", "found", "", serves)
    return MachinePart("numba's cache", "unusable", "", serves, "set NUMBA_CACHE_DIR to a folder that you can write")


def _cache_folders() -> Iterator[Path]:
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(named)
        return
    yield Path(sdnloom.__file__).parent / "engine" / "kernel" / "__pycache__"
    with suppress(RuntimeError):  # a user without a home
        yield Path.home() / ".cache" / "numba"


def _can_write(folder: Path) -> bool:
    """Whether a folder can be written to, or be made."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _surroundings() -> list[MachinePart]:
    return [_memory(), _folder(), _terminal()]


def _memory() -> MachinePart:
    state: PartState = "found" if resident_bytes() else "unusable"
    advice = "this system has no /proc; use ulimit or a container instead"
    return MachinePart("memory limits", state, "", "--memory-limit", advice)


def _folder() -> MachinePart:
    state: PartState = "found" if _can_write(Path.cwd()) else "unusable"
    advice = "give --trace-dir and --export a folder that you can write, or --no-trace"
    return MachinePart("current folder", state, "", "traces are written here", advice)


def _terminal() -> MachinePart:
    serves = "colours and progress"
    if not sys.stdout.isatty():
        return MachinePart("output", "found", "is no terminal", "colours and progress need one")
    colours = "NO_COLOR" not in os.environ and os.environ.get("TERM") not in (None, "dumb")
    width = shutil.get_terminal_size().columns
    return MachinePart("terminal", "found", f"{width} wide, {'with' if colours else 'without'} colours", serves)


def _free_memory() -> int | None:
    """Bytes that a process can still take; None where the system has no /proc."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None
    found = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else None
