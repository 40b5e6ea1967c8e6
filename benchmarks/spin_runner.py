"""Build and run SPIN on `promela/pings.pml`: the peer that the engine's speed and memory are compared with.

`python -m benchmarks.spin_runner [N ...]` prints the figures of every variant.
"""

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.report import Report
from sdnloom.errors import SdnloomError

MODEL = Path(__file__).parent / "promela" / "pings.pml"

Variant = Literal["full", "collapse", "reduced", "two cores", "two cores, breadth first"]
VARIANTS: tuple[Variant, ...] = ("full", "collapse", "reduced")
# Whole searches on two cores. Depth first both use one table (without SEP_STATE, with which each has its own and counts
# depend on luck); breadth first states are stored in full (without NO_HC their hashes are, and counts are a guess).
TWO_CORES: tuple[Variant, ...] = ("two cores", "two cores, breadth first")

_SHARED_MEGABYTES = 8000  # that a depth-first search on two cores reserves; what it uses is a part of it

# Each variant gets the form of the model that serves it best. One process for all makes a full search a
# fifth faster and its vector smaller; the reduction needs processes to tell independent actions apart.
# COLLAPSE alone saves little here because channels count as globals; SEPQS collapses them one by one.
_MODEL_FLAGS: dict[Variant, tuple[str, ...]] = {
    "full": (),
    "collapse": (),
    "reduced": ("-DSPLIT",),
    **dict.fromkeys(TWO_CORES, ("-DVISIBLE",)),
}
_PAN_FLAGS: dict[Variant, tuple[str, ...]] = {
    "full": ("-DNOREDUCE",),
    "collapse": ("-DNOREDUCE", "-DCOLLAPSE", "-DSEPQS"),
    "reduced": (),
    "two cores": ("-DNOREDUCE", "-DNCORE=2", f"-DMEMLIM={_SHARED_MEGABYTES}"),
    "two cores, breadth first": ("-DNOREDUCE", "-DBFS_PAR", "-DNO_HC"),
}
_RUN_FLAGS: dict[Variant, tuple[str, ...]] = {"two cores, breadth first": ("-u2",)}

# Linux hands a process's peak memory on to what it executes, so a large parent would pass for the child's
# peak: a small process in between starts and measures it. A search on two cores does not wait for its second process,
# so that one becomes a child of the small process (36 is PR_SET_CHILD_SUBREAPER), and is waited for here.
_MEASURE = """
import ctypes, os, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
code, peak, seconds = 0, 0, 0.0
while True:
    try:
        ended, status, usage = os.wait4(-1, 0)
    except ChildProcessError:
        break
    code = code or os.waitstatus_to_exitcode(status)
    peak = max(peak, usage.ru_maxrss * 1024)
    seconds += usage.ru_utime + usage.ru_stime
print("measured", code, peak, seconds)
"""


class SpinError(SdnloomError):
    """SPIN or the compiler failed, or a search did not end as a complete one without errors."""


@dataclass(frozen=True)
class SpinFigures:
    """The result of one complete search: SPIN's own elapsed time, CPU time and peak memory of its process.

    A peak under 10 MB is that of the process which started it. CPU time is that of all processes of a search on two
    cores, and the peak that of the larger one: they share their table.
    """

    states: int
    transitions: int
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    depth: int
    errors: int = 0


def hash_bits(n: int, variant: Variant) -> int:
    """The size of SPIN's hash table, as a power of two, that gives N pings one to three slots per state."""
    # States grow 14 to 16 times with each ping; beyond 5 a second slot per state costs memory and gains no time.
    full = 4 * n + 1 if n <= 5 else 4 * n
    return full - 2 if variant == "reduced" else full


def build(n: int, variant: Variant, directory: Path, *, count_quiescent: bool = False) -> Path:
    """The compiled searcher for N pings; `directory` gets it and SPIN's generated C."""
    if variant not in (*VARIANTS, *TWO_CORES):
        raise SpinError(f"variant {variant!r}: expected one of {', '.join((*VARIANTS, *TWO_CORES))}")
    directory.mkdir(parents=True, exist_ok=True)
    end = ("-DNO_END",) if count_quiescent else ()
    _tool(directory, "spin", f"-DN={n}", *_MODEL_FLAGS[variant], *end, "-a", str(MODEL.resolve()))
    binary = directory.resolve() / f"pan-{variant}-{n}"
    _tool(directory, "gcc", "-O2", "-DSAFETY", *_PAN_FLAGS[variant], "-o", str(binary), "pan.c")
    return binary


def search(n: int, variant: Variant, directory: Path) -> SpinFigures:
    """The figures of a whole search for N pings; the searcher is built where `directory` has none yet."""
    binary = directory.resolve() / f"pan-{variant}-{n}"
    if not binary.exists():
        build(n, variant, directory)
    return run(binary, hash_bits(n, variant), more=_RUN_FLAGS.get(variant, ()))


def run(
    binary: Path, bits: int = 24, *, max_depth: int = 1000, keep_going: bool = False, more: tuple[str, ...] = ()
) -> SpinFigures:
    """The figures of one exhaustive search; with `keep_going` an error is counted instead of refused."""
    arguments = [str(binary), f"-m{max_depth}", f"-w{bits}", "-n", *more] + (["-c0"] if keep_going else [])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _MEASURE, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=binary.parent,
    )
    return parse(done.stdout, keep_going=keep_going)


def quiescent_states(n: int, variant: Variant, directory: Path) -> int:
    """The number of states without an enabled action; a sound reduction keeps them all."""
    binary = build(n, variant, directory, count_quiescent=True)
    return run(binary, hash_bits(n, variant), keep_going=True).errors


def parse(output: str, *, keep_going: bool = False) -> SpinFigures:
    """The figures in what a searcher printed; an incomplete search or an inexact count is refused."""
    code = _integer(output, r"^measured (-?\d+)")
    if code or "max search depth too small" in output:
        raise SpinError(f"SPIN did not complete its search (exit code {code}):\n{output}")
    errors = _integer(output, r"errors: (\S+)")
    if errors and not keep_going:
        raise SpinError(f"SPIN found {errors} errors where none was expected:\n{output}")
    return SpinFigures(
        states=_integer(output, r"(\S+) states, stored"),
        # SPIN takes the initial state for a transition too.
        transitions=_integer(output, r"(\S+) transitions \(= stored\+matched\)") - 1,
        seconds=float(_field(output, r"elapsed time (\S+) seconds")),
        cpu_seconds=float(_field(output, r"^measured -?\d+ \d+ (\S+)")),
        peak_bytes=_integer(output, r"^measured -?\d+ (\d+)"),
        depth=_integer(output, r"depth reached (\d+)"),
        errors=errors,
    )


def _field(output: str, pattern: str) -> str:
    found = re.search(pattern, output, re.MULTILINE)
    if found is None:
        raise SpinError(f"SPIN's output has nothing like {pattern!r}:\n{output}")
    return found[1]


def _integer(output: str, pattern: str) -> int:
    text = _field(output, pattern)
    try:
        return int(text)
    except ValueError:
        # SPIN prints eight digits: from 10^8 on a count is rounded, and is no longer evidence.
        raise SpinError(f"SPIN printed {text!r} where an exact count was expected") from None


def _tool(directory: Path, *command: str) -> None:
    try:
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    except FileNotFoundError:
        raise SpinError(f"the program {command[0]!r} is not installed: `make packages` installs it") from None
    # The exit code of spin is 0 after some errors in the model; what it then leaves out is pan.c, which gcc misses.
    if done.returncode:
        raise SpinError(f"{' '.join(command)} exited with {done.returncode}:\n{done.stdout}{done.stderr}")


def report(sizes: list[int]) -> Report:
    """The figures of every variant for the given numbers of pings, once each."""
    result = Report("spin_runner")
    table = result.table("SPIN on pings.pml", "pings", "variant", "states", "transitions", "s", "CPU s", "MB", "depth")
    with tempfile.TemporaryDirectory() as directory:
        for n in sizes:
            for variant in (*VARIANTS, *TWO_CORES):
                f = search(n, variant, Path(directory))
                memory = f.peak_bytes / 1e6
                table.add(n, variant, f.states, f.transitions, f.seconds, f.cpu_seconds, memory, f.depth)
    return result


if __name__ == "__main__":
    report([int(argument) for argument in sys.argv[1:]] or [1, 2, 3, 4, 5]).show()
