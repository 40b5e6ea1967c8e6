"""The result of `sdnloom walk --swarm`, which its reports are functions of."""

from dataclasses import dataclass
from pathlib import Path

from sdnloom.engine.swarm.result import SwarmResult
from sdnloom.report.describe import Names
from sdnloom.report.steps import StepCode


@dataclass(frozen=True)
class SwarmWalk:
    """A swarm; the trace of its violation, and the code that each step of that ran."""

    names: Names
    swarm: SwarmResult
    trace: Path | None = None
    code: StepCode = ()
