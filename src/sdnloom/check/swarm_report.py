"""A scenario that is searched by a swarm, and what came of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from sdnloom.check.run import Run
from sdnloom.check.scenario import Scenario
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.result import STOPPING, Counterexample, Limits, SearchEvent
from sdnloom.engine.semantics import Finding
from sdnloom.engine.stop_points import LimitReached
from sdnloom.engine.swarm.options import SwarmOptions
from sdnloom.engine.swarm.result import SwarmResult
from sdnloom.engine.swarm.run import search_swarm
from sdnloom.engine.trace import Fingerprints, Trace


@dataclass(frozen=True)
class SwarmReport:
    """The result of a swarm in a scenario."""

    scenario: Scenario
    result: SwarmResult
    fingerprints: Fingerprints

    @property
    def verdict(self) -> Literal["violated", "incomplete"]:
        """`violated` or `incomplete`: a swarm never shows that a property holds."""
        return self.result.verdict

    @property
    def violation(self) -> Counterexample | None:
        """The violation of the first member that found one, by number."""
        return self.result.violation

    def trace(self, shown: Counterexample, source: Mapping[str, str] | None = None) -> Trace:
        """A counterexample as a trace. `source` says where the scenario is found again."""
        found = Finding(shown.property, shown.message)
        return Trace(shown.path, found, self.fingerprints.scenario, self.fingerprints.code, dict(source or {}))


def run_scenario_swarm(
    run: Run,
    options: SwarmOptions,
    on_event: Callable[[SearchEvent], None] | None = None,
    watch: LimitWatch | None = None,
) -> SwarmReport:
    """Search the system of a run with a swarm. Strategies and reductions of the scenario are not used.

    The time limit covers the start-up too. The program of `run` must tell its states apart by insertion order.
    """
    noted, watch = on_event or (lambda event: None), watch or LimitWatch(Limits(seconds=options.seconds))
    with watch.catching_interrupts(lambda: noted(STOPPING)), watch.in_force():
        try:
            with watch.during("during the start-up"):
                system = run.system
        except LimitReached as reached:
            stopped = SwarmResult(options, (), stopped=reached.reason, seconds=watch.seconds)
            return SwarmReport(run.scenario, stopped, Fingerprints("", ""))
        result = search_swarm(system, options, noted, watch)
    return SwarmReport(run.scenario, result, run.fingerprints)
