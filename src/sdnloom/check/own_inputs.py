"""Search for the violation of a trace with the trace's own inputs, in every order, and the program as it is now.

The inputs are what comes from outside: packets that hosts send, moves, calls, ticks, expiries and faults, each at most
as often as in the trace. A host's input is told apart by its choice (which packet, which port). The choice of another
component depends on the program, so there only the action counts.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace

from sdnloom.engine.counterexample.input_budget import with_inputs_of
from sdnloom.engine.limits import LimitWatch
from sdnloom.engine.model import Restart, RestartRequired, Step, System
from sdnloom.engine.path import replay
from sdnloom.engine.result import Counterexample, Result, SearchEvent, SearchOptions, Violated
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics
from sdnloom.engine.trace import Trace
from sdnloom.network.topology.spec import Topology


def search_own_inputs(
    system: System,
    topology: Topology,
    trace: Trace,
    options: SearchOptions,
    on_event: Callable[[SearchEvent], None],
    watch: LimitWatch,
) -> Result:
    """The result of the search; its counterexamples are paths of the system. Raises RestartRequired."""
    assert trace.finding is not None, "there is nothing to look for"
    hosts = {host.name for host in topology.hosts}

    def input_of(step: Step) -> Hashable:
        return step.component, step.action, step.choice if step.component in hosts else ""

    asked = tuple(prop for prop in system.properties if prop.name == trace.finding.property)
    narrow = with_inputs_of(replace(system, properties=asked), trace.path, input_of)
    result = search(narrow, options, on_event, watch)
    if isinstance(result.verdict, Restart):
        raise RestartRequired(result.verdict)
    semantics = Semantics(system)
    violations = tuple(_replayed(semantics, one) for one in result.violations)
    witnesses = tuple(_replayed(semantics, one) for one in result.witnesses)
    verdict = Violated(violations[0]) if violations else result.verdict
    return replace(result, verdict=verdict, violations=violations, witnesses=witnesses)


def _replayed(semantics: Semantics, shown: Counterexample) -> Counterexample:
    """The counterexample with the states of the system, which have no budgets."""
    transitions = tuple(replay(semantics, shown.path))
    return replace(shown, initial=semantics.initial(), transitions=transitions, system=semantics.system)
