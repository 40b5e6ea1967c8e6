"""A test: the messages, probe packets and times that an agent gets, in which fields are concrete or symbolic.

A test has one or more cases that differ in what is not symbolic, such as lengths. Laws: a step's template is a whole
number of octets; variables have unique names in a case; an input is one value for each variable, in its ranges.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Variable:
    """A symbolic field: its name, such as `m1.actions[0].type`, its bits and the values that it may have.

    `default` is the value in a harmless input: root causes are told by the fewest fields that have to differ from it.
    """

    name: str
    bits: int
    default: int = 0
    ranges: tuple[tuple[int, int], ...] = ()  # first and last value of each; none means all values

    def allows(self, value: int) -> bool:
        """Return whether the variable may have the value."""
        if not self.ranges:
            return 0 <= value < 1 << self.bits
        return any(low <= value <= high for low, high in self.ranges)


@dataclass(frozen=True, slots=True)
class Part:
    """Some bits of a template: a number, or the variable of a name."""

    bits: int
    value: int | str


@dataclass(frozen=True, slots=True)
class Overlay:
    """Names for the bits of a variable that depend on another one: the arguments of an action by its type.

    `kind` is `action` or `stats`: it says which layouts apply to the value of the variable `tag`. `skip` is the number
    of bits of the layout that come before the variable.
    """

    variable: str
    tag: str
    kind: str
    skip: int = 0


@dataclass(frozen=True, slots=True)
class MessageStep:
    """A message to the agent: its kind, such as `packet_out` (or `raw`), and its octets with the header."""

    kind: str
    parts: tuple[Part, ...]
    overlays: tuple[Overlay, ...] = ()


@dataclass(frozen=True, slots=True)
class PacketStep:
    """A probe: a frame that arrives on a port."""

    port: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class TimeStep:
    """Time that passes."""

    milliseconds: int


CaseStep = MessageStep | PacketStep | TimeStep


@dataclass(frozen=True, slots=True)
class Case:
    """A sequence of steps. With `fresh`, what the agent sends on the connection counts and no Hello is sent to it."""

    name: str
    steps: tuple[CaseStep, ...]
    variables: tuple[Variable, ...] = ()
    fresh: bool = False

    def defaults(self) -> dict[str, int]:
        """Return the harmless input."""
        return {variable.name: variable.default for variable in self.variables}


@dataclass(frozen=True, slots=True)
class SwitchTest:
    """A test: its name, the wire version of OpenFlow, its cases, and the document that it was read from.

    Two tests are the same if their documents are.
    """

    name: str
    version: int
    cases: tuple[Case, ...] = field(compare=False)
    document: Mapping[str, Any] = field(repr=False)
    description: str = field(default="", compare=False)

    def case(self, name: str) -> Case:
        """Return the case of a name."""
        return next(case for case in self.cases if case.name == name)


def template_bytes(parts: tuple[Part, ...], values: Mapping[str, int]) -> bytes:
    """Return the bytes of a template for an input."""
    number = bits = 0
    for part in parts:
        value = values[part.value] if isinstance(part.value, str) else part.value
        number, bits = number << part.bits | value, bits + part.bits
    return number.to_bytes(bits // 8, "big")
