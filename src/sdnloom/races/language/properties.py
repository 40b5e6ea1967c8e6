"""Forwarding properties: formulas over the policy of the data plane, evaluated before and after a race.

A formula is a conjunction of inclusions between policies in which the network is a hole; emptiness (RaceLoom's only
kind) is inclusion in `zero`, equivalence is inclusion both ways. A race is harmful when a formula's value differs
before and after it, so a property and its negation find the same races.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from sdnloom.netkat.syntax import DROP_ALL, PASS_ALL, Policy
from sdnloom.races.language.templates import NETWORK, holes


class RaceType(Enum):
    """The three kinds of race of section 3.4 of the thesis."""

    CT_SW = "CT->SW"
    CT_SW_CT = "CT->SW<-CT"
    CT_CT_SW = "CT->CT->SW"


@dataclass(frozen=True, slots=True)
class Inclusion:
    """`left <= right`; the network may stand on either side."""

    left: Policy
    right: Policy = DROP_ALL

    @property
    def is_antitone(self) -> bool:
        """Whether a larger network can only make it false."""
        return NETWORK not in holes(self.right)

    @property
    def is_monotone(self) -> bool:
        """Whether a larger network can only make it true."""
        return NETWORK not in holes(self.left)


@dataclass(frozen=True, slots=True)
class Formula:
    """All inclusions hold, or, if negated, not all. `avoid` filters the hops of the network, for waypoints."""

    inclusions: tuple[Inclusion, ...]
    negated: bool = False
    avoid: Policy = PASS_ALL
    text: str = ""


@dataclass(frozen=True)
class ForwardingProperty:
    """A name and a formula for each type of race that the property applies to."""

    name: str
    formulas: Mapping[RaceType, Formula]


def property_for_all_types(name: str, formula: Formula) -> ForwardingProperty:
    """Return the property with one formula for races of every type."""
    return ForwardingProperty(name, dict.fromkeys(RaceType, formula))
