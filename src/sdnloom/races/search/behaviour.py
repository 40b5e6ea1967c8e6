"""Behaviour of single elements: the operational semantics, one element at a time.

The local state of a term is a term; that of a big switch is the request that it waits for and the table that the
answer replaces, or None. Tables are kept apart: no ability of an element depends on them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from sdnloom.netkat.syntax import Policy
from sdnloom.races.language.model import BigSwitch, ChannelMessage, Element, RaceModel
from sdnloom.races.language.terms import Definition, Forward, ProcessTerm, Receive, Send, steps

LocalState: TypeAlias = Any  # a ProcessTerm, a pair (RequestMessage, table) or None; hashable
SwitchTables: TypeAlias = tuple[Policy, ...]


@dataclass(frozen=True, slots=True)
class Reception:
    """A message that an element may receive: its next local state and, for a big switch, which table it replaces."""

    message: ChannelMessage
    then: LocalState
    table: int | None = None


@dataclass(frozen=True, slots=True)
class Emission:
    """A message that an element may send, and its next local state."""

    message: ChannelMessage
    then: LocalState


@dataclass(frozen=True, slots=True)
class Processing:
    """A policy that an element may process packets with; None is the policy of a big switch's tables."""

    policy: Policy | None
    then: LocalState


@dataclass(frozen=True, slots=True)
class Abilities:
    """The events that an element can take part in, in one local state."""

    processings: tuple[Processing, ...]
    emissions: tuple[Emission, ...]
    receptions: tuple[Reception, ...]


class Behaviour(Protocol):
    """An element as a transition system of its own."""

    initial: LocalState
    tables: SwitchTables

    def abilities(self, local: LocalState) -> Abilities: ...


def behaviours(model: RaceModel) -> tuple[Behaviour, ...]:
    """Return the behaviour of each element of the model."""
    return tuple(_behaviour(element, model.definitions) for element in model.elements)


def _behaviour(element: Element, definitions: Mapping[str, Definition]) -> Behaviour:
    if isinstance(element, BigSwitch):
        return _BigSwitchBehaviour(element)
    return _TermBehaviour(element.term, definitions)


class _TermBehaviour:
    """The transitions of a term. It has no tables: its policies are in the term."""

    tables: SwitchTables = ()

    def __init__(self, term: ProcessTerm, definitions: Mapping[str, Definition]) -> None:
        self.initial: LocalState = term
        self._definitions = definitions
        self._known: dict[ProcessTerm, Abilities] = {}

    def abilities(self, local: LocalState) -> Abilities:
        if local not in self._known:
            self._known[local] = self._compute(local)
        return self._known[local]

    def _compute(self, term: ProcessTerm) -> Abilities:
        processings: list[Processing] = []
        emissions: list[Emission] = []
        receptions: list[Reception] = []
        for action, then in steps(term, self._definitions):
            match action:
                case Forward(policy):
                    processings.append(Processing(policy, then))
                case Send(channel, policy):
                    emissions.append(Emission(ChannelMessage(channel, policy), then))
                case Receive(channel, policy):
                    receptions.append(Reception(ChannelMessage(channel, policy), then))
        return Abilities(tuple(processings), tuple(emissions), tuple(receptions))


class _BigSwitchBehaviour:
    """Figure 3.1 of the thesis: always forwards and receives direct updates; requests one update at a time."""

    def __init__(self, big: BigSwitch) -> None:
        self.initial: LocalState = None
        self.tables: SwitchTables = tuple(switch.initial for switch in big.switches)
        self._emissions: dict[Emission, None] = {}
        self._updates: dict[tuple[ChannelMessage, int], None] = {}
        for index, switch in enumerate(big.switches):
            self._updates.update(dict.fromkeys((message, index) for message in switch.updates))
            for request in switch.requests:
                self._emissions[Emission(request.question, (request, index))] = None
        self._known: dict[LocalState, Abilities] = {}

    def abilities(self, local: LocalState) -> Abilities:
        if local not in self._known:
            self._known[local] = self._compute(local)
        return self._known[local]

    def _compute(self, local: LocalState) -> Abilities:
        receptions = {Reception(message, local, index): None for message, index in self._updates}
        if local is not None:
            request, index = local
            receptions[Reception(request.answer, None, index)] = None
        emissions = tuple(self._emissions) if local is None else ()
        return Abilities((Processing(None, local),), emissions, tuple(receptions))
