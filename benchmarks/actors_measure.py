"""One search of a program of actors in a process of its own, so that its peak memory is its own.

`python -m benchmarks.actors_measure ROW SIZE REDUCTION SYMMETRY FIND_ALL SECONDS` prints one JSON object.
"""

import json
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass

from benchmarks.actors_programs import Instance, instance
from sdnloom.actors.search.options import ActorOptions
from sdnloom.actors.search.search import search_program
from sdnloom.actors.semantics import ActorSemantics
from sdnloom.engine.path import replay
from sdnloom.engine.result import Counterexample, Limits, Violated

MEMORY = 3 << 30  # bytes after which a search ends as incomplete


@dataclass(frozen=True)
class ActorFigures:
    """One measured search: time and memory of its own process, the search alone, all code loaded before."""

    states: int
    transitions: int
    final_states: int
    cpu_seconds: float
    seconds: float
    peak_bytes: int  # of the whole process
    violated: tuple[str, ...]  # the properties
    replayed: bool  # whether every counterexample was replayed on the reference semantics, again
    incomplete: str | None
    symmetry: str
    rounds: int

    @property
    def is_complete(self) -> bool:
        """Whether the search was exhaustive."""
        return self.incomplete is None


def measure(
    which: Instance, reduction: str = "context", symmetry: bool = True, find_all: bool = True, seconds: float = 600
) -> ActorFigures:
    """Search in a new process. Without `find_all` the search ends at the first violation."""
    command = [sys.executable, "-m", "benchmarks.actors_measure", which.row, which.size, reduction]
    command += [str(int(symmetry)), str(int(find_all)), str(seconds)]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = json.loads(printed)
    return ActorFigures(**found | {"violated": tuple(found["violated"])})


def search_instance(which: Instance, options: ActorOptions) -> ActorFigures:
    """Search in this process."""
    program = which.program()
    before = time.process_time()
    found = search_program(program, options)
    spent = time.process_time() - before
    result, statistics = found.result, found.result.statistics
    return ActorFigures(
        statistics.states,
        statistics.transitions,
        found.final_states,
        spent,
        statistics.seconds,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        tuple(sorted({each.property for each in result.violations})),
        all(_replays(which, each) for each in result.violations),
        None if isinstance(result.verdict, Violated) and not options.find_all else result.incomplete,
        found.symmetry,
        found.rounds,
    )


def _replays(which: Instance, counterexample: Counterexample) -> bool:
    """Whether the steps of a counterexample lead to its violation in the reference semantics."""
    semantics = ActorSemantics(which.program())
    transitions = replay(semantics, counterexample.path)
    findings = semantics.findings(transitions[-1].state if transitions else semantics.initial())
    return (counterexample.property, counterexample.message) in {(each.property, each.message) for each in findings}


def main(row: str, size: str, reduction: str, symmetry: str, find_all: str, seconds: str) -> None:
    limits = Limits(seconds=float(seconds), memory=MEMORY)
    search_instance(instance("LB", "3x3x1"), ActorOptions())  # loads compiled code and fills caches of imports
    options = ActorOptions(reduction, bool(int(symmetry)), bool(int(find_all)), limits=limits)  # type: ignore[arg-type]
    print(json.dumps(asdict(search_instance(instance(row, size), options))))


if __name__ == "__main__":
    main(*sys.argv[1:])
