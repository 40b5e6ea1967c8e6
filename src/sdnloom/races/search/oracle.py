"""The reference: races by the definitions, on the tree of all traces with real vector clocks. Slow.

It uses nothing of the abstraction that the search relies on, and evaluates properties packet by packet with NetKAT's
reference evaluator.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from sdnloom.netkat.evaluate import outputs, packet
from sdnloom.netkat.syntax import FieldValue, Policy, sum_of, values_of
from sdnloom.races.language.model import BigSwitch, RaceModel, network_policy
from sdnloom.races.language.properties import Formula, ForwardingProperty, RaceType
from sdnloom.races.language.templates import NETWORK, PREFIX, fill
from sdnloom.races.search.behaviour import LocalState, SwitchTables, behaviours
from sdnloom.races.search.definitions import compared_tables, race_type, with_table
from sdnloom.races.search.trace import Label, ProcessLabel, RaceTrace, ReconfigureLabel, TraceEvent

RaceKey = tuple[RaceType, Label, Label]


@dataclass
class _Found:
    """The shortest length of a trace with each race."""

    harmful: dict[RaceKey, int] = field(default_factory=dict)
    all_races: dict[RaceKey, int] = field(default_factory=dict)


class Oracle:
    """Finds the races of a model in all traces up to a depth."""

    def __init__(self, model: RaceModel, prop: ForwardingProperty) -> None:
        self._model = model
        self._property = prop
        self._behaviours = behaviours(model)
        self._values: dict[tuple[RaceType, int, SwitchTables], bool] = {}
        self._found = _Found()

    def complete(self, depth: int) -> tuple[dict[RaceKey, int], dict[RaceKey, int]]:
        """Return the harmful races and all races in all traces, each with the length of the shortest trace."""
        self._found = _Found()
        self._explore((), self._first(), depth, None)
        return self._found.harmful, self._found.all_races

    def raceloom(self, depth: int) -> dict[RaceKey, int]:
        """Return the first harmful race of every trace, as RaceLoom does."""
        self._found = _Found()
        self._explore((), self._first(), depth, ())
        return self._found.harmful

    def _first(self) -> tuple[tuple[LocalState, SwitchTables], ...]:
        return tuple((behaviour.initial, behaviour.tables) for behaviour in self._behaviours)

    def _explore(
        self,
        events: tuple[TraceEvent, ...],
        state: tuple[tuple[LocalState, SwitchTables], ...],
        depth: int,
        initiators: tuple[int, ...] | None,
    ) -> None:
        """Extend the trace by every transition; `initiators` lists elements by first event, None in complete mode."""
        if not depth:
            return
        for event, after in self._transitions(state):
            if self._is_repeated_processing(events, event, state, after):
                continue
            longer = (*events, event)
            trace = RaceTrace(longer, tuple(behaviour.tables for behaviour in self._behaviours))
            if initiators is None:
                for i in range(len(events)):
                    self._check(trace, i, len(events))
                self._explore(longer, after, depth - 1, None)
                continue
            source = event.label.source
            order = initiators if source in initiators else (*initiators, source)
            latest = {earlier.label.source: index for index, earlier in enumerate(events)}
            others = [element for element in order if element != source]
            if not any(self._check(trace, latest[element], len(events)) for element in others):
                self._explore(longer, after, depth - 1, order)

    def _transitions(
        self, state: tuple[tuple[LocalState, SwitchTables], ...]
    ) -> Iterator[tuple[TraceEvent, tuple[tuple[LocalState, SwitchTables], ...]]]:
        abilities = [behaviour.abilities(local) for behaviour, (local, _) in zip(self._behaviours, state, strict=True)]
        for element, able in enumerate(abilities):
            tables = state[element][1]
            for processing in able.processings:
                used = tables if processing.policy is None else (processing.policy,)
                yield TraceEvent(ProcessLabel(element, used)), _put(state, element, processing.then, tables)
            for emission in able.emissions:
                for receiver, other in enumerate(abilities):
                    for reception in other.receptions:
                        if receiver == element or reception.message != emission.message:
                            continue
                        message, theirs = reception.message, state[receiver][1]
                        if reception.table is not None:
                            theirs = with_table(theirs, reception.table, message.policy)
                        after = _put(state, element, emission.then, tables)
                        after = _put(after, receiver, reception.then, theirs)
                        label = ReconfigureLabel(message.channel, message.policy, element, receiver)
                        yield TraceEvent(label, reception.table), after

    def _is_repeated_processing(
        self, events: tuple[TraceEvent, ...], event: TraceEvent, state: tuple[object, ...], after: tuple[object, ...]
    ) -> bool:
        # RaceLoom's pruning: the same element processes the same way twice in a row.
        return bool(events) and isinstance(event.label, ProcessLabel) and events[-1] == event and state == after

    def _check(self, trace: RaceTrace, i: int, j: int) -> bool:
        """Record the race of events i and j if they race; return whether it is harmful."""
        kind = race_type(self._model, trace, i, j)
        if kind is None or kind not in self._property.formulas:
            return False
        key = (kind, trace.events[i].label, trace.events[j].label)
        self._found.all_races[key] = min(j + 1, self._found.all_races.get(key, j + 1))
        switch, before, after = compared_tables(self._model, trace, i, j, kind)
        if self._holds(kind, switch, before) == self._holds(kind, switch, after):
            return False
        self._found.harmful[key] = min(j + 1, self._found.harmful.get(key, j + 1))
        return True

    def _holds(self, kind: RaceType, switch: int, tables: SwitchTables) -> bool:
        key = (kind, switch, tables)
        if key not in self._values:
            element = self._model.elements[switch]
            formula = self._property.formulas[kind]
            links = element.links if isinstance(element, BigSwitch) else None
            policy = tables[0] if links is None else network_policy(tables, links, formula.avoid)
            self._values[key] = holds_slowly(formula, policy)
        return self._values[key]


def holds_slowly(formula: Formula, policy: Policy) -> bool:
    """Return the formula's value on the policy, by running every packet over the values named and a fresh one."""
    holds = True
    for inclusion in formula.inclusions:
        left = fill(inclusion.left, {NETWORK: policy})
        right = fill(inclusion.right, {NETWORK: policy})
        domains = {
            name: [*sorted(found, key=str), _fresh(found)] for name, found in values_of(sum_of([left, right])).items()
        }
        assert not any(name.startswith(PREFIX) for name in domains)
        for choice in product(*domains.values()):
            given = [packet(dict(zip(domains, choice, strict=True)))]
            holds = holds and outputs(left, given) <= outputs(right, given)
    return holds != formula.negated


def _fresh(found: frozenset[FieldValue]) -> FieldValue:
    return max([0, *(value for value in found if isinstance(value, int))]) + 1


def _put(
    state: tuple[tuple[LocalState, SwitchTables], ...], element: int, local: LocalState, tables: SwitchTables
) -> tuple[tuple[LocalState, SwitchTables], ...]:
    return (*state[:element], (local, tables), *state[element + 1 :])
