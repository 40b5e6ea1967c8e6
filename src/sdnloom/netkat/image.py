"""Images of packet sets under policies: where packets can get to, and where they can come from.

    forward(p, S)  = the packets that p makes of packets in S
    backward(p, T) = the packets of which p makes some packet in T

Every image is remembered by policy and set, so the image of a sum of tables of which one changed costs one new table.
A sum looks up the parts that a set can touch at all; a product asks a predicate as early as no factor before it assigns
its fields; a star iterates on the frontier of new packets.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sdnloom.netkat.packets import PacketSet, Space
from sdnloom.netkat.relation import Relations
from sdnloom.netkat.syntax import DROP, Assign, Policy, Product, Star, Sum, Test, Value, assigned_fields, fields_of

# Deeper terms go through their relation, which is built bottom up and needs no Python stack.
MAX_DEPTH: Final = 100
# Images are forgotten beyond this many, so that a long run keeps its memory.
MAX_REMEMBERED: Final = 1_000_000
# Below this many parts, asking each of them is cheaper than an index.
_SMALL: Final = 4


@dataclass(frozen=True, slots=True)
class _Index:
    """The parts of a sum by the value that one field must have for them, and the parts that do not say."""

    field: str
    by_value: Mapping[Value, tuple[Policy, ...]]
    rest: tuple[Policy, ...]


@dataclass(frozen=True, slots=True)
class _Factors:
    """A product: the predicates that may be asked first, and what is left in order."""

    guard: PacketSet
    steps: tuple[Policy, ...]


class Images:
    """Computes images over one space and remembers them; keep one for many questions about similar policies."""

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
        """Return the packets that the policy makes of packets in the set."""
        if packets is self.space.nothing:
            return packets
        key = (policy, packets)
        known = self._forward.get(key)
        if known is None:
            if len(self._forward) >= MAX_REMEMBERED:
                self._forward.clear()
            known = self._forward[key] = self._step_forward(policy, packets)
        return known

    def backward(self, policy: Policy, packets: PacketSet) -> PacketSet:
        """Return the packets of which the policy makes some packet in the set."""
        if packets is self.space.nothing:
            return packets
        key = (policy, packets)
        known = self._backward.get(key)
        if known is None:
            if len(self._backward) >= MAX_REMEMBERED:
                self._backward.clear()
            known = self._backward[key] = self._step_backward(policy, packets)
        return known

    def _step_forward(self, policy: Policy, packets: PacketSet) -> PacketSet:
        if policy.is_predicate:
            return packets & self.space.predicate(policy)
        if isinstance(policy, Assign):
            return self.space.assign(packets, policy.field, policy.value)
        if policy.depth > MAX_DEPTH:
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
        if policy.depth > MAX_DEPTH:
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
            # Narrowed to the value, the image is remembered whatever else the set holds.
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


def _index(parts: tuple[Policy, ...], required: Callable[[Policy], Mapping[str, Value]]) -> _Index | None:
    """Return the parts indexed by the field whose required values tell most of them apart; None if not worth it."""
    if len(parts) < _SMALL:
        return None
    parts = tuple(part for part in parts if part is not DROP)
    needs = [required(part) for part in parts]
    seen: dict[str, set[Value]] = {}
    for need in needs:
        for field, value in need.items():
            seen.setdefault(field, set()).add(value)
    if not seen:
        return None
    field = min(seen, key=lambda name: (-len(seen[name]), name))
    by_value: dict[Value, list[Policy]] = {}
    rest: list[Policy] = []
    for part, need in zip(parts, needs, strict=True):
        (by_value.setdefault(need[field], []) if field in need else rest).append(part)
    return _Index(field, {value: tuple(group) for value, group in by_value.items()}, tuple(rest))


def _input_values(policy: Policy) -> Mapping[str, Value]:
    """Return values that fields of every packet must have for the policy to make anything of it."""
    required: dict[str, Value] = {}
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


def _output_values(policy: Policy) -> Mapping[str, Value]:
    """Return values that fields have in every packet that the policy makes."""
    given: dict[str, Value] = {}
    for part in reversed(policy.parts) if isinstance(policy, Product) else (policy,):
        if isinstance(part, Test | Assign):
            given.setdefault(part.field, part.value)
        elif not part.is_predicate:
            break
    return given
