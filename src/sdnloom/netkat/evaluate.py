"""The reference evaluator: the outputs of a policy for one packet, by the definition.

It is slow and obvious on purpose; the packet sets and diagrams are tested against it.
"""

from collections.abc import Generator, Iterable, Mapping
from typing import TypeAlias

from sdnloom.netkat.errors import PolicyError
from sdnloom.netkat.syntax import Assign, Drop, FieldValue, Not, Policy, Product, Skip, Star, Sum, Test

ConcretePacket: TypeAlias = frozenset[tuple[str, FieldValue]]
ConcretePackets: TypeAlias = frozenset[ConcretePacket]


def packet(fields: Mapping[str, FieldValue]) -> ConcretePacket:
    """Return the mapping as a hashable packet."""
    return frozenset(fields.items())


def evaluate_policy(policy: Policy, fields: Mapping[str, FieldValue]) -> ConcretePackets:
    """Return the outputs of the policy for one packet.

    A test of a field that the packet lacks is an error: its value would have to be guessed.
    """
    return outputs(policy, [packet(fields)])


def outputs(policy: Policy, packets: Iterable[ConcretePacket]) -> ConcretePackets:
    """Return the union of the outputs for the packets; star is the least fixpoint."""
    # `_rules` asks for the result of a part by yielding it, so a deep term needs no deep Python stack.
    stack = [_rules(policy, frozenset(packets))]
    result: ConcretePackets | None = None
    while stack:
        try:
            stack.append(_rules(*stack[-1].send(result)))
            result = None
        except StopIteration as done:
            stack.pop()
            result = done.value
    assert result is not None
    return result


def _rules(
    policy: Policy, packets: ConcretePackets
) -> Generator[tuple[Policy, ConcretePackets], ConcretePackets | None, ConcretePackets]:
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
            union: ConcretePackets = frozenset()
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


def _get(one: ConcretePacket, field: str) -> FieldValue:
    for name, value in one:
        if name == field:
            return value
    raise PolicyError(f"the packet {dict(sorted(one))!r} has no field {field!r} to test")
