"""DyNetKAT models: big switches, elements given by terms, and the definitions of recursive variables.

A big switch stands for a whole data plane (section 3.1 of the RaceLoom thesis). With tables X1 ... Xn and links L it
forwards with N = (X . L) . (X . L)*, where X = X1 + ... + Xn. It may always receive a direct update of one table. It
may request an update, and requests nothing else until the answer arrives.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from sdnloom.netkat.parser import suggestion
from sdnloom.netkat.syntax import PASS_ALL, Policy, Star, product_of, sum_of
from sdnloom.races.language.errors import DyNetkatError
from sdnloom.races.language.expressions import TermUses
from sdnloom.races.language.properties import ForwardingProperty
from sdnloom.races.language.terms import Definition, ProcessTerm


class ElementRole(Enum):
    """The role of an element in the definitions of races."""

    SWITCH = "SW"
    CONTROLLER = "CT"


@dataclass(frozen=True, slots=True)
class ChannelMessage:
    """A policy on a channel."""

    channel: str
    policy: Policy


@dataclass(frozen=True, slots=True)
class RequestMessage:
    """A question that a switch sends, and the answer that becomes its table."""

    question: ChannelMessage
    answer: ChannelMessage


@dataclass(frozen=True, slots=True)
class InnerSwitch:
    """One switch of a big switch: its initial table, and the tables that may replace it."""

    name: str
    initial: Policy
    updates: tuple[ChannelMessage, ...] = ()
    requests: tuple[RequestMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class BigSwitch:
    """A data plane as one element."""

    name: str
    switches: tuple[InnerSwitch, ...]
    links: Policy = PASS_ALL

    @property
    def role(self) -> ElementRole:
        return ElementRole.SWITCH


@dataclass(frozen=True, slots=True)
class TermComponent:
    """An element given by a guarded term."""

    name: str
    role: ElementRole
    term: ProcessTerm


Element: TypeAlias = BigSwitch | TermComponent


@dataclass(frozen=True)
class RaceModel:
    """Elements in parallel; their order is the order of the vector clocks."""

    elements: tuple[Element, ...]
    definitions: Mapping[str, Definition]
    source: str = "<model>"
    policies: Mapping[str, Policy] = field(default_factory=dict)
    properties: tuple[ForwardingProperty, ...] = ()


def network_policy(tables: Iterable[Policy], links: Policy, waypoint_free: Policy = PASS_ALL) -> Policy:
    """Return (X . L) . (X . L)* of the tables' sum X: one hop or more.

    With a filter, a packet must pass it before, between and after all tables and links.
    """
    hop = product_of([sum_of(tables), links])
    if waypoint_free is PASS_ALL:
        return product_of([hop, Star(hop)])
    hop = product_of([sum_of(tables), waypoint_free, links, waypoint_free])
    return product_of([waypoint_free, hop, Star(hop)])


def check_channel_owners(switches: Iterable[tuple[InnerSwitch, str]]) -> None:
    """Raise an error when two inner switches share a channel; each switch comes with its position."""
    owners: dict[str, str] = {}
    for switch, position in switches:
        messages = [*switch.updates]
        for request in switch.requests:
            messages += [request.question, request.answer]
        for message in messages:
            owner = owners.setdefault(message.channel, switch.name)
            if owner != switch.name:
                raise DyNetkatError(
                    position,
                    f"channel {message.channel!r} already belongs to switch {owner!r}, expected one of its own",
                )


def channels_of(switches: Iterable[InnerSwitch]) -> frozenset[str]:
    """Return every channel that the switches use."""
    found: set[str] = set()
    for switch in switches:
        found |= {message.channel for message in switch.updates}
        for request in switch.requests:
            found |= {request.question.channel, request.answer.channel}
    return frozenset(found)


def check_uses(definitions: Mapping[str, Definition], uses: Mapping[str, TermUses], channels: frozenset[str]) -> None:
    """Raise an error for an undefined variable, a wrong number of arguments, an unknown channel or unguarded recursion.

    `uses` has the variables and channels of each definition and of the system line, by name.
    """
    for where in uses.values():
        for channel in where.channels:
            if channel.name not in channels:
                hint = suggestion(channel.name, channels) if channels else "; no channels are declared"
                raise DyNetkatError(
                    channel.position, f"unknown channel {channel.name!r}, expected a declared one{hint}"
                )
        for use in where.variables:
            definition = definitions.get(use.name)
            if definition is None:
                hint = suggestion(use.name, definitions)
                raise DyNetkatError(
                    use.position, f"unknown recursive variable {use.name!r}, expected a defined one{hint}"
                )
            if use.arguments != len(definition.parameters):
                expected = len(definition.parameters)
                raise DyNetkatError(use.position, f"{use.name!r} has {use.arguments} arguments, expected {expected}")
    _check_guarded(uses)


def _check_guarded(uses: Mapping[str, TermUses]) -> None:
    """Raise an error if some variable can be unfolded for ever without an action."""
    heads = {name: [use for use in where.variables if not use.guarded] for name, where in uses.items()}
    users: dict[str, list[str]] = {name: [] for name in heads}
    waits = dict.fromkeys(heads, 0)
    for name, found in heads.items():
        for use in found:
            users[use.name].append(name)
            waits[name] += 1
    # Remove names that need no unfolding, then names that need only those, and so on: cycles remain.
    done = [name for name, count in waits.items() if not count]
    while done:
        for name in users[done.pop()]:
            waits[name] -= 1
            if not waits[name]:
                done.append(name)
    for name, found in heads.items():
        for use in found:
            if waits[name] and waits[use.name]:
                raise DyNetkatError(
                    use.position,
                    f"unguarded recursive variable {use.name!r}: expected an action and ';' before it, "
                    f"or {name!r} never reaches one",
                )
