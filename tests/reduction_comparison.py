"""Comparison of the reduced search of a scenario with the full search, for tests of all areas."""

from dataclasses import dataclass, replace
from pathlib import Path

from sdnloom import Scenario, load_scenario
from sdnloom.check.program_factory import make_program
from sdnloom.engine.late import explored_part
from sdnloom.engine.loop import LoopSearch
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import Needs, RestartRequired
from sdnloom.engine.reduction.sleep_sets import SleepSetSearch, can_sleep
from sdnloom.engine.reduction.stubborn_sets import StubbornSets
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import Finding, State
from sdnloom.engine.system_graph import SystemGraph
from sdnloom.network.assumed_independence import AssumeIndependent


@dataclass(frozen=True)
class Sizes:
    """Transitions without and with the reduction."""

    full: int
    reduced: int

    @property
    def factor(self) -> float:
        """The factor by which the reduction lowers the number of transitions."""
        return self.full / self.reduced


def compare(scenario: Scenario, most: int = 30_000) -> Sizes | None:
    """Assert that quiescent states and the violated properties are equal; return the numbers of transitions.

    None if there are more than `most` states without the reduction. Properties of every state are left out: a
    reduction refuses them by name. It may find fewer different violations of a property, but at least one.
    """
    full = _explored(scenario, False, Limits(states=most))
    if full is None:
        return None
    # The assumptions must be refuted by the reduced search itself, so it gets a program of its own.
    program = AssumeIndependent(make_program(scenario.program))
    while True:
        try:
            reduced = _explored(replace(scenario, program=lambda: program), True, Limits())
            break
        except RestartRequired:
            continue
    assert reduced is not None
    lost, invented = full[1] - reduced[1], reduced[1] - full[1]
    assert not lost, f"{scenario.name}: {len(lost)} quiescent states are lost"
    assert not invented, f"{scenario.name}: {len(invented)} quiescent states are invented"
    assert reduced[2] == full[2], scenario.name
    return Sizes(full[0], reduced[0])


def compare_file(file: Path, most: int = 30_000) -> Sizes | None:
    """The same for a scenario file."""
    return compare(load_scenario(file), most)


def without_properties(scenario: Scenario) -> Scenario:
    """The scenario without properties, as published counts have it."""
    return replace(scenario, properties=())


def _explored(scenario: Scenario, reduce: bool, limits: Limits) -> tuple[int, frozenset[State], frozenset[str]] | None:
    """Transitions, quiescent states and the names of the properties that report something."""
    system = scenario.narrowed().system()
    system = replace(system, properties=tuple(p for p in system.properties if p.needs is not Needs.STATE))
    system = explored_part(system)
    tables, reduction = Memo(system), StubbornSets(system) if reduce else None
    graph = SystemGraph(tables, reduction)
    reported: set[str] = set()

    def note(found: Finding, number: int) -> bool:
        reported.add(found.property)
        return False

    kind = SleepSetSearch if can_sleep(system, reduction, None) else LoopSearch
    loop = kind(graph, limits=limits, on_finding=note)
    loop.run()
    if loop.stopped is not None:
        return None
    quiescent = frozenset(graph.value(state) for state in loop.states if graph.is_quiescent(state))
    return loop.transitions, quiescent, frozenset(reported)
