"""Images of packet sets under policies, forward and backward.

    forward(p, S)  = the outputs of p for packets in S
    backward(p, T) = the packets with some output of p in T

Every image is kept by policy and set: when one table of a sum changes, only its image is new. A sum looks up the parts
that can match a packet of the set; a product tests a predicate before all factors that do not assign its fields; a star
iterates on the frontier of new packets.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sdnloom.netkat.packets import PacketSet, Space
from sdnloom.netkat.relation import Relations
from sdnloom.netkat.syntax import (
    DROP_ALL,
    Assign,
    FieldValue,
    Policy,
    Product,
    Star,
    Sum,
    Test,
    assigned_fields,
    fields_of,
)

# Deeper terms go through their relation, which is built bottom up and needs no Python stack.
MAX_TERM_DEPTH: Final = 100
# The memo is cleared at this size, which bounds the memory of a long run.
MAX_MEMO: Final = 1_000_000
# With fewer parts than this, an index costs more than it saves.
_SMALL: Final = 4


@dataclass(frozen=True, slots=True)
class _Index:
    """The parts of a sum by the value that they require of one field; `rest` are the parts that require none."""

    field: str
    by_value: Mapping[FieldValue, tuple[Policy, ...]]
    rest: tuple[Policy, ...]


@dataclass(frozen=True, slots=True)
class _Factors:
    """A product: the predicates that can be tested first, and the other factors in order."""

    guard: PacketSet
    steps: tuple[Policy, ...]


class Images:
    """Computes images over one space and keeps them; share one object among questions about similar policies."""

    def __init__(self, space: Space | None = None) -> None:
        self.space: Final = space or Space()
        self.relations: Final = Relations(self.space)
        self._forward: dict[tuple[Policy, PacketSet], PacketSet] = {}
        self._backward: dict[tuple[Policy, PacketSet], PacketSet] = {}
        self._factors: dict[Policy, _Factors] = {}
        self._factors_back: dict[Policy, _Factors] = {}
        self._indices: dict[Policy, _Index | None] = {}
        self._indices_back: dict[Policy, _Index | None] = {}

    def forward(self, policy: Policy, packets: PacketSet) -> PacketSet:
        """Return the outputs of the policy for packets in the set."""
        if packets is self.space.nothing:
            return packets
        key = (policy, packets)
        known = self._forward.get(key)
        if known is None:
            if len(self._forward) >= MAX_MEMO:
                self._forward.clear()
            known = self._forward[key] = self._step_forward(policy, packets)
        return known

    def backward(self, policy: Policy, packets: PacketSet) -> PacketSet:
        """Return the packets for which the policy has some output in the set."""
        if packets is self.space.nothing:
            return packets
        key = (policy, packets)
        known = self._backward.get(key)
        if known is None:
            if len(self._backward) >= MAX_MEMO:
                self._backward.clear()
            known = self._backward[key] = self._step_backward(policy, packets)
        return known

    def _step_forward(self, policy: Policy, packets: PacketSet) -> PacketSet:
        if policy.is_predicate:
            return packets & self.space.predicate(policy)
        if isinstance(policy, Assign):
            return self.space.assign(packets, policy.field, policy.value)
        if policy.depth > MAX_TERM_DEPTH:
            return self.relations.push(self.relations.of(policy), packets)
        if isinstance(policy, Product):
            factors = self._factors.get(policy)
            if factors is None:
                factors = self._factors[policy] = self._arrange(policy.parts)
            packets &= factors.guard
            for step in factors.steps:
                packets = self.forward(step, packets)
            return packets
        if isinstance(policy, Sum):
            if policy not in self._indices:
                self._indices[policy] = _index(policy.parts, _input_values)
            return self._union(self._indices[policy], policy, packets, self.forward)
        assert isinstance(policy, Star)
        return self._closure(policy.policy, packets, self.forward)

    def _step_backward(self, policy: Policy, packets: PacketSet) -> PacketSet:
        if policy.is_predicate:
            return packets & self.space.predicate(policy)
        if isinstance(policy, Assign):
            return self.space.cofactor(packets, policy.field, policy.value)
        if policy.depth > MAX_TERM_DEPTH:
            return self.relations.pull(self.relations.of(policy), packets)
        if isinstance(policy, Product):
            factors = self._factors_back.get(policy)
            if factors is None:
                factors = self._factors_back[policy] = self._arrange(policy.parts[::-1])
            packets &= factors.guard
            for step in factors.steps:
                packets = self.backward(step, packets)
            return packets
        if isinstance(policy, Sum):
            if policy not in self._indices_back:
                self._indices_back[policy] = _index(policy.parts, _output_values)
            return self._union(self._indices_back[policy], policy, packets, self.backward)
        assert isinstance(policy, Star)
        return self._closure(policy.policy, packets, self.backward)

    def _arrange(self, parts: Iterable[Policy]) -> _Factors:
        """Return the factors with every predicate that commutes with all factors before it in the guard."""
        guard = self.space.everything
        steps: list[Policy] = []
        touched: set[str] = set()
        for part in parts:
            if part.is_predicate and touched.isdisjoint(fields_of(part)):
                guard &= self.space.predicate(part)
            else:
                steps.append(part)
                touched |= assigned_fields(part)
        return _Factors(guard, tuple(steps))

    def _union(
        self,
        index: _Index | None,
        policy: Sum,
        packets: PacketSet,
        image: Callable[[Policy, PacketSet], PacketSet],
    ) -> PacketSet:
        if index is None:
            return self.space.union_of([image(part, packets) for part in policy.parts])
        space, field, by_value = self.space, index.field, index.by_value
        values, excluded = space.support(packets, field)
        found: list[PacketSet] = []
        for value in by_value if excluded or len(by_value) < len(values) else values:
            parts = by_value.get(value)
            if parts is None or (value in values) == excluded:
                continue
            # Narrowed to the value, the image can be reused for other sets.
            narrowed = packets & space.test(field, value)
            found += [image(part, narrowed) for part in parts]
        found += [image(part, packets) for part in index.rest]
        return space.union_of(found)

    def _closure(self, body: Policy, packets: PacketSet, image: Callable[[Policy, PacketSet], PacketSet]) -> PacketSet:
        reached = frontier = packets
        while frontier:
            frontier = image(body, frontier) - reached
            reached |= frontier
        return reached


def _index(parts: tuple[Policy, ...], required: Callable[[Policy], Mapping[str, FieldValue]]) -> _Index | None:
    """Return an index by the field with the most required values; None if there are few parts or no such field."""
    if len(parts) < _SMALL:
        return None
    parts = tuple(part for part in parts if part is not DROP_ALL)
    needs = [required(part) for part in parts]
    seen: dict[str, set[FieldValue]] = {}
    for need in needs:
        for field, value in need.items():
            seen.setdefault(field, set()).add(value)
    if not seen:
        return None
    field = min(seen, key=lambda name: (-len(seen[name]), name))
    by_value: dict[FieldValue, list[Policy]] = {}
    rest: list[Policy] = []
    for part, need in zip(parts, needs, strict=True):
        (by_value.setdefault(need[field], []) if field in need else rest).append(part)
    return _Index(field, {value: tuple(group) for value, group in by_value.items()}, tuple(rest))


def _input_values(policy: Policy) -> Mapping[str, FieldValue]:
    """Return values that fields of a packet must have for the policy to have an output."""
    required: dict[str, FieldValue] = {}
    written: set[str] = set()
    for part in policy.parts if isinstance(policy, Product) else (policy,):
        if isinstance(part, Test):
            if part.field not in written:
                required.setdefault(part.field, part.value)
        elif isinstance(part, Assign):
            written.add(part.field)
        elif not part.is_predicate:
            break
    return required


def _output_values(policy: Policy) -> Mapping[str, FieldValue]:
    """Return values that fields have in every output of the policy."""
    given: dict[str, FieldValue] = {}
    for part in reversed(policy.parts) if isinstance(policy, Product) else (policy,):
        if isinstance(part, Test | Assign):
            given.setdefault(part.field, part.value)
        elif not part.is_predicate:
            break
    return given
