"""What each element can do by itself: the operational semantics, one element at a time.

A local state is a term, or, for a big switch, the request whose answer it waits for and the table that the answer is
for. Tables are kept apart: nothing that an element can do depends on them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from sdnloom.netkat.syntax import Policy
from sdnloom.races.language.model import BigSwitch, ChannelMessage, Element, RaceModel
from sdnloom.races.language.terms import Definition, Forward, ProcessTerm, Receive, Send, steps

Local: TypeAlias = Any  # a Term, a (Request, table) or None; hashable
Tables: TypeAlias = tuple[Policy, ...]


@dataclass(frozen=True, slots=True)
class Reception:
    """A message that an element may receive: its next local state and, for a big switch, which table it replaces."""

    message: ChannelMessage
    then: Local
    table: int | None = None


@dataclass(frozen=True, slots=True)
class Emission:
    """A message that an element may send, and its next local state."""

    message: ChannelMessage
    then: Local


@dataclass(frozen=True, slots=True)
class Processing:
    """A policy that an element may process packets with; None is the policy of a big switch's tables."""

    policy: Policy | None
    then: Local


@dataclass(frozen=True, slots=True)
class Abilities:
    """All that an element can do in one local state."""

    processings: tuple[Processing, ...]
    emissions: tuple[Emission, ...]
    receptions: tuple[Reception, ...]


class Behaviour(Protocol):
    """An element as a transition system of its own."""

    initial: Local
    tables: Tables

    def abilities(self, local: Local) -> Abilities: ...


def behaviours(model: RaceModel) -> tuple[Behaviour, ...]:
    """Return the behaviour of each element of the model."""
    return tuple(_behaviour(element, model.definitions) for element in model.elements)


def _behaviour(element: Element, definitions: Mapping[str, Definition]) -> Behaviour:
    if isinstance(element, BigSwitch):
        return _BigSwitchBehaviour(element)
    return _TermBehaviour(element.term, definitions)


class _TermBehaviour:
    """The transitions of a term. It has no tables: what it forwards with is in the term."""

    tables: Tables = ()

    def __init__(self, term: ProcessTerm, definitions: Mapping[str, Definition]) -> None:
        self.initial: Local = term
        self._definitions = definitions
        self._known: dict[ProcessTerm, Abilities] = {}

    def abilities(self, local: Local) -> Abilities:
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
    """Figure 3.1 of the thesis: forwards and takes direct updates always, asks only when it waits for no answer."""

    def __init__(self, big: BigSwitch) -> None:
        self.initial: Local = None
        self.tables: Tables = tuple(switch.initial for switch in big.switches)
        self._emissions: dict[Emission, None] = {}
        self._updates: dict[tuple[ChannelMessage, int], None] = {}
        for index, switch in enumerate(big.switches):
            self._updates.update(dict.fromkeys((message, index) for message in switch.updates))
            for request in switch.requests:
                self._emissions[Emission(request.question, (request, index))] = None
        self._known: dict[Local, Abilities] = {}

    def abilities(self, local: Local) -> Abilities:
        if local not in self._known:
            self._known[local] = self._compute(local)
        return self._known[local]

    def _compute(self, local: Local) -> Abilities:
        receptions = {Reception(message, local, index): None for message, index in self._updates}
        if local is not None:
            request, index = local
            receptions[Reception(request.answer, None, index)] = None
        emissions = tuple(self._emissions) if local is None else ()
        return Abilities((Processing(None, local),), emissions, tuple(receptions))
