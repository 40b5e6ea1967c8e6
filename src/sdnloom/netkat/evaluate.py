"""The reference evaluator: what a policy does to one packet, straight from the definition.

It is slow and obvious on purpose; the packet sets and diagrams are tested against it.
"""

from collections.abc import Generator, Iterable, Mapping
from typing import TypeAlias

from sdnloom.netkat.errors import PolicyError
from sdnloom.netkat.syntax import Assign, Drop, Not, Policy, Product, Skip, Star, Sum, Test, Value

Packet: TypeAlias = frozenset[tuple[str, Value]]
Packets: TypeAlias = frozenset[Packet]


def packet(fields: Mapping[str, Value]) -> Packet:
    """Return the mapping as a hashable packet."""
    return frozenset(fields.items())


def evaluate(policy: Policy, fields: Mapping[str, Value]) -> Packets:
    """Return every packet that the policy makes of the one given.

    A test of a field that the packet lacks is an error: its value would have to be guessed.
    """
    return outputs(policy, [packet(fields)])


def outputs(policy: Policy, packets: Iterable[Packet]) -> Packets:
    """Return the union of what the policy makes of each packet; star is the least fixpoint."""
    # `_rules` asks for the result of a part by yielding it, so a deep term needs no deep Python stack.
    stack = [_rules(policy, frozenset(packets))]
    result: Packets | None = None
    while stack:
        try:
            stack.append(_rules(*stack[-1].send(result)))
            result = None
        except StopIteration as done:
            stack.pop()
            result = done.value
    assert result is not None
    return result


def _rules(policy: Policy, packets: Packets) -> Generator[tuple[Policy, Packets], Packets | None, Packets]:
    match policy:
        case Drop():
            return frozenset()
        case Skip():
            return packets
        case Test(field, value):
            return frozenset(one for one in packets if _get(one, field) == value)
        case Assign(field, value):
            return frozenset(packet({**dict(one), field: value}) for one in packets)
        case Not(predicate):
            return packets - ((yield predicate, packets) or frozenset())
        case Sum(parts):
            union: Packets = frozenset()
            for part in parts:
                union |= (yield part, packets) or frozenset()
            return union
        case Product(parts):
            for part in parts:
                packets = (yield part, packets) or frozenset()
            return packets
        case Star(body):
            size = -1
            while len(packets) > size:
                size = len(packets)
                packets |= (yield body, packets) or frozenset()
            return packets


def _get(one: Packet, field: str) -> Value:
    for name, value in one:
        if name == field:
            return value
    raise PolicyError(f"the packet {dict(sorted(one))!r} has no field {field!r} to test")
