"""The result of `sdnloom minimise`, which its reports are functions of."""

from dataclasses import dataclass
from pathlib import Path

from sdnloom.engine.semantics import Finding, Transition
from sdnloom.report.describe import Names
from sdnloom.report.steps import StepCode


@dataclass(frozen=True)
class MinimiseResult:
    """A trace with fewer steps, and its file. `recorded` are the finding and the length of the trace that was given.

    `shortest`: no order of its inputs, or of fewer, is shorter; `states` is the size of the search that says so.
    """

    names: Names
    recorded: tuple[Finding, int]
    found: Finding
    transitions: tuple[Transition, ...]
    minimal: bool
    shortest: bool
    states: int
    trace: Path
    code: StepCode = ()  # that the steps ran
