"""Random walks as text."""

import shlex
from pathlib import Path

from sdnloom.engine.model import System
from sdnloom.engine.path import Path as Steps
from sdnloom.engine.path import replay
from sdnloom.engine.semantics import Semantics
from sdnloom.engine.walk import Walk
from sdnloom.network.topology import Topology
from sdnloom.report.check.text import steps_text
from sdnloom.report.describe import Names, counted


def found_text(system: System, topology: Topology, walk: Walk, path: Steps, seed: int, trace: Path) -> str:
    """The violation that a walk met, with the smaller path that shows it."""
    found = walk.found[0]
    lines = [
        f"VIOLATED {found.property}: {found.message}",
        f"counterexample, {counted(len(path), 'step')}, none can be left out "
        f"(the walk had {len(walk.path)}, seed {seed}):",
        *steps_text(replay(Semantics(system), path), Names.of(topology)),
        "",
        f"replay: sdnloom replay {shlex.quote(str(trace))}",
    ]
    return "\n".join(lines) + "\n"


def nothing_text(runs: int, steps: int, seed: int) -> str:
    """What was tried in vain."""
    seeds = f"seed {seed}" if runs == 1 else f"seeds {seed} to {seed + runs - 1}"
    return (
        f"INCOMPLETE no violation in {counted(runs, 'random walk')} with {counted(steps, 'step')} in all, "
        f"{seeds}\n"
        "to try more, raise --runs or --max-steps, or search everything with `sdnloom check`\n"
    )
