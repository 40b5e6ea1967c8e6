"""Results of `sdnloom walk`, which its reports are functions of."""

from dataclasses import dataclass
from pathlib import Path

from sdnloom.engine.semantics import Finding, Transition
from sdnloom.report.describe import Names
from sdnloom.report.steps import StepCode


@dataclass(frozen=True)
class WalkViolation:
    """A violation at the end of a walk: its minimised path, the length of the walk, its seed, and the trace file."""

    finding: Finding
    transitions: tuple[Transition, ...]
    walked: int
    seed: int
    trace: Path
    code: StepCode = ()  # that each step ran
    minimal: bool = True  # no single step can be left out; False if Ctrl-C ended the attempts


@dataclass(frozen=True)
class WalkResult:
    """Random walks with the seeds `seed`, `seed` + 1, ...; the violation that ended them, if any."""

    names: Names
    runs: int
    steps: int
    seed: int
    violation: WalkViolation | None = None
