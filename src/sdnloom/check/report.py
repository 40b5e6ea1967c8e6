"""The report of a check: everything that text, JSON and trace files show. Making them runs no code of the program."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sdnloom.check.coverage import FileCoverage
from sdnloom.check.discovery import Discovery
from sdnloom.check.scope import Omission, SentTraffic, tried_traffic
from sdnloom.check.step_details import TraceDetails
from sdnloom.engine.model import Needs, Property
from sdnloom.engine.reduction.explain import Conflict
from sdnloom.engine.result import (
    BEFORE_SEARCH,
    Counterexample,
    Incomplete,
    Result,
    Statistics,
    Vacuous,
    VerdictName,
    verdict_name,
)
from sdnloom.engine.semantics import Finding
from sdnloom.engine.trace import Fingerprints, Trace
from sdnloom.network.controller_component import CONTROLLER
from sdnloom.network.program import OutputLine
from sdnloom.platforms.code_runs import CodeRun

if TYPE_CHECKING:
    from sdnloom.check.scenario import Scenario


@dataclass(frozen=True)
class ReductionReport:
    """The reductions that a search used, why assumptions were refuted, and which actions conflict if that was asked."""

    used: tuple[str, ...]
    refuted: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True)
class CheckpointReport:
    """The file that a search is kept in, whether it came from there, and whether it can go on from there."""

    file: Path
    resumed: bool
    goes_on: bool


@dataclass(frozen=True)
class Report:
    """The result of a check with the bounds that its verdict is relative to, one bound per line.

    If inputs were discovered, the network of `scenario` has them.
    """

    scenario: "Scenario"
    result: Result
    bounds: tuple[str, ...]
    properties: tuple[Property, ...]
    fingerprints: Fingerprints
    coverage: tuple[FileCoverage, ...] | None = None
    discovery: Discovery | None = None
    reduction: ReductionReport | None = None  # None for a search without one
    output: tuple[OutputLine, ...] = ()  # of the program, whether or not it is shown
    shows_output: bool = False
    omissions: tuple[Omission, ...] = ()  # what was not tried
    checkpoint: CheckpointReport | None = None  # of a search that is kept
    # What steps of the controller did inside of the program, for the first violations. Not compared: it has paths.
    details: Mapping[Counterexample, TraceDetails] = field(default_factory=dict, compare=False, repr=False)

    @property
    def verdict(self) -> VerdictName:
        """`violated`, `holds`, `vacuous` or `incomplete`."""
        return verdict_name(self.result.verdict)

    @property
    def vacuous(self) -> tuple[str, ...]:
        """Why the result means little, if the verdict is `vacuous`."""
        return self.result.verdict.reasons if isinstance(self.result.verdict, Vacuous) else ()

    @property
    def violations(self) -> tuple[Counterexample, ...]:
        """The distinct violations, shortest counterexample first; at equal length an event before what it caused."""
        at_rest = {prop.name: prop.needs not in (Needs.EVENT, Needs.ORDER) for prop in self.properties}
        return tuple(
            sorted(
                self.result.violations,
                key=lambda one: (len(one.path), at_rest.get(one.property, True), one.property, one.message),
            )
        )

    @property
    def traffic(self) -> tuple[SentTraffic, ...]:
        """What the hosts sent in the search; nothing if there was none."""
        if self.result.incomplete == BEFORE_SEARCH or not self.result.statistics.states:
            return ()
        return tried_traffic(self.scenario.narrowed().network)

    @property
    def checked(self) -> tuple[str, ...]:
        """The names of the properties that must hold."""
        return tuple(prop.name for prop in self.properties if not prop.sometimes)

    def step_code(self, shown: Counterexample) -> tuple[tuple[CodeRun, ...], ...]:
        """The functions of the program that each step of a counterexample ran; none if that is not known."""
        details = self.details.get(shown)
        return () if details is None else tuple(() if each is None else each.code for each in details.steps)

    @property
    def handler_runs(self) -> int:
        """How often code of the program ran."""
        return self.result.statistics.evaluations.get(CONTROLLER, 0)

    def trace(self, shown: Counterexample, source: Mapping[str, str] | None = None) -> Trace:
        """A counterexample as a trace. `source` says where the scenario is found again."""
        found = Finding(shown.property, shown.message)
        return Trace(shown.path, found, self.fingerprints.scenario, self.fingerprints.code, dict(source or {}))


def unsearched(scenario: "Scenario", reason: str, seconds: float, bounds: tuple[str, ...] = ()) -> Report:
    """The report of a run that a limit ended before its search began."""
    result = Result(Incomplete(reason), Statistics("none", 0, 0, 0, seconds), incomplete=reason)
    return Report(scenario, result, bounds, (), Fingerprints("", ""))
