"""Definitions 3 and 5 to 7 of the thesis, literally, on one trace.

An event i of a trace goes from state i to state i + 1. `race_type` says whether events i and j are a race of some
type; `compared_tables` gives the tables before and after; the race is harmful if a property differs between them.
"""

from sdnloom.netkat.syntax import Policy
from sdnloom.races.language.model import BigSwitch, ElementRole, RaceModel
from sdnloom.races.language.properties import RaceType
from sdnloom.races.search.behaviour import SwitchTables
from sdnloom.races.search.trace import ProcessLabel, RaceTrace, ReconfigureLabel, incomparable


def race_type(model: RaceModel, trace: RaceTrace, i: int, j: int) -> RaceType | None:
    """Return the type of race of the events i < j of the trace, harmful or not; None if they do not race."""
    first, second = trace.events[i].label, trace.events[j].label
    if not isinstance(second, ReconfigureLabel) or _role(model, second.sender) is not ElementRole.CONTROLLER:
        return None
    clocks = trace.clocks
    q = second.sender
    p = first.source
    if p == q or not incomparable(clocks[i + 1][p], clocks[j + 1][q], p, q):
        return None
    if isinstance(first, ProcessLabel):
        # 3.5: the switch forwards and does nothing until it is reconfigured.
        idle = clocks[i + 1][p][p] == clocks[j][p][p]
        fits = second.receiver == p and _role(model, p) is ElementRole.SWITCH and idle
        return RaceType.CT_SW if fits else None
    t = first.receiver
    if _role(model, p) is not ElementRole.CONTROLLER or _role(model, t) is not ElementRole.SWITCH:
        return None
    # 3.6d and 3.7d: no element updates the switch in between.
    elements = [element for element in range(len(model.elements)) if element != t]
    for state in range(i + 1, j + 1):
        if any(clocks[state][t][element] != clocks[i + 1][t][element] for element in elements):
            return None
    if second.receiver == t and clocks[i + 1][p][p] == clocks[j + 1][p][p]:  # 3.6b
        return RaceType.CT_SW_CT
    if second.receiver == p and clocks[i + 1][p][p] == clocks[j][p][p]:  # 3.7b
        return RaceType.CT_CT_SW
    return None


def compared_tables(
    model: RaceModel, trace: RaceTrace, i: int, j: int, kind: RaceType
) -> tuple[int, SwitchTables, SwitchTables]:
    """Return the switch and the tables that it forwards with before and after.

    Updates replace one table of a big switch, so its whole policy is put together again (section 4.4). A switch given
    by a term has only the policies of the labels.
    """
    first, second = trace.events[i].label, trace.events[j].label
    assert isinstance(second, ReconfigureLabel)
    if kind is RaceType.CT_SW:
        assert isinstance(first, ProcessLabel)
        switch, before = first.element, first.tables
    else:
        assert isinstance(first, ReconfigureLabel)
        switch, before = first.receiver, (first.policy,)
    if not isinstance(model.elements[switch], BigSwitch):
        return switch, before, (second.policy,)
    if kind is not RaceType.CT_CT_SW:
        return switch, trace.tables(switch, i + 1), trace.tables(switch, j + 1)
    # The switch as it would be had p sent the policy that q gives it.
    tables = trace.tables(switch, i + 1)
    place = trace.events[i].table
    assert place is not None
    return switch, tables, with_table(tables, place, second.policy)


def with_table(tables: SwitchTables, place: int, policy: Policy) -> SwitchTables:
    """Return the tables with one replaced."""
    return (*tables[:place], policy, *tables[place + 1 :])


def _role(model: RaceModel, element: int) -> ElementRole:
    return model.elements[element].role
