"""All states and events of a small network, found with the engine's semantics."""

from sdnloom.engine.model import Mode
from sdnloom.engine.semantics import Semantics

_latest = {}  # the system that was explored last -> its states and transitions; a test asks several things of one


def explore(system, limit=20_000):
    """Return (states, transitions) of the whole space, found breadth first."""
    if id(system) not in _latest:
        _latest.clear()
        _latest[id(system)] = system, _explored(system, limit)
    return _latest[id(system)][1]


def _explored(system, limit):
    semantics = Semantics(system)
    found = [semantics.initial()]
    known, edges = set(found), []
    for state in found:
        for transition in semantics.transitions(state):
            edges.append(transition)
            if transition.state not in known:
                known.add(transition.state)
                found.append(transition.state)
        assert len(found) < limit
    return found, edges


def events_of(system):
    """Return every event that can happen."""
    return {event for transition in explore(system)[1] for event in transition.outcome.events}


def column(system, state, name):
    """Return the core of a component in a state."""
    return state.cores[[component.name for component in system.components].index(name)]


def quiescent(system):
    """Return the states in which nothing must happen."""
    semantics = Semantics(system)
    return [
        state
        for state in explore(system)[0]
        if not any(transition.action.mode is Mode.MUST for transition in semantics.transitions(state))
    ]
