"""Every state of a small program, by the reference semantics."""

from typing import NamedTuple

from sdnloom.actors import Program
from sdnloom.actors.program import PLAIN
from sdnloom.actors.semantics import ActorSemantics, state_of
from sdnloom.actors.state_view import StateView
from sdnloom.engine.semantics import Finding


class FullSearch(NamedTuple):
    """The number of states, and the final states with what is wrong with each."""

    states: int
    finals: list[tuple[StateView, set[Finding]]]
    findings: set[Finding]
    events: set[str]


def full_search(program: Program) -> FullSearch:
    """Search every state."""
    semantics = ActorSemantics(program)
    first = semantics.initial()
    seen, pending, finals = {first}, [first], []
    findings: set[Finding] = set()
    events: set[str] = set()
    while pending:
        state = pending.pop()
        transitions = semantics.transitions(state)
        found = set(semantics.findings(state))
        findings |= found
        if not transitions:
            finals.append((StateView(program, PLAIN, state_of(state)), found))
        for transition in transitions:
            events |= {repr(event) for event in transition.events}
            if transition.state not in seen:
                seen.add(transition.state)
                pending.append(transition.state)
    return FullSearch(len(seen), finals, findings, events)


def one_run(program: Program) -> tuple[StateView, set[Finding]]:
    """The end of one execution, and what is wrong with it; enough where the order of steps makes no difference."""
    semantics = ActorSemantics(program)
    state = semantics.initial()
    while transitions := semantics.transitions(state):
        state = transitions[0].state
    return StateView(program, PLAIN, state_of(state)), set(semantics.findings(state))
