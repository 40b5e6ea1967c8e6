"""What a step of a switch decided by looking at a packet, for conditions on packets that would be treated alike.

`rewritten` names the match fields that an action has set before the decision ("ttl" for the time to live): there the
packet has a constant, whatever it carried when it arrived.
"""

from collections.abc import Mapping
from typing import NamedTuple


class TableLookup(NamedTuple):
    """A lookup in a flow table by the match fields of the packet; `priority` is of the entry found, -1 if none."""

    table: int
    fields: Mapping[str, int]
    rewritten: frozenset[str]
    priority: int


class BridgeLookup(NamedTuple):
    """The port NORMAL looked for the destination of a packet."""

    fields: Mapping[str, int]
    rewritten: frozenset[str]


class TtlCheck(NamedTuple):
    """A time to live was lowered, or found to be used up."""

    ttl: int
    rewritten: frozenset[str]


PacketDecision = TableLookup | BridgeLookup | TtlCheck
