"""The rules by which a policy turns one packet into another, in order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sdnloom.netkat.errors import PolicyError
from sdnloom.netkat.image import Images
from sdnloom.netkat.packets import PacketSet
from sdnloom.netkat.syntax import Assign, FieldValue, Policy, Product, Star, Sum

_Task: TypeAlias = tuple[Policy, Mapping[str, FieldValue], Mapping[str, FieldValue]]


@dataclass(frozen=True, slots=True)
class Hop:
    """One rule (a part of the policy without sum and star, predicates aside) and the packet before and after it."""

    rule: Policy
    before: Mapping[str, FieldValue]
    after: Mapping[str, FieldValue]


def packet_route(
    policy: Policy, before: Mapping[str, FieldValue], after: Mapping[str, FieldValue], images: Images
) -> tuple[Hop, ...]:
    """Return the hops that turn `before` into `after`; a star takes as few rounds as possible.

    Both packets need a value for every field of the policy. Raises PolicyError if it does not.
    """
    finder = _Finder(images)
    if not finder.leads(policy, before, after):
        raise PolicyError(f"the policy does not turn {dict(before)!r} into {dict(after)!r}")
    hops: list[Hop] = []
    pending: list[_Task] = [(policy, before, after)]
    while pending:
        part, start, end = pending.pop()
        if part.is_predicate or isinstance(part, Assign) or _is_rule(part):
            hops.append(Hop(part, start, end))
        elif isinstance(part, Sum):
            pending.append((next(one for one in part.parts if finder.leads(one, start, end)), start, end))
        elif isinstance(part, Product):
            pending += reversed(finder.through(part.parts, start, end))
        elif isinstance(part, Star):
            pending += reversed(finder.rounds(part.policy, start, end))
    return tuple(hops)


class _Finder:
    def __init__(self, images: Images) -> None:
        self.images = images
        self.space = images.space

    def leads(self, policy: Policy, before: Mapping[str, FieldValue], after: Mapping[str, FieldValue]) -> bool:
        return bool(self.images.forward(policy, self.space.packet(before)) & self.space.packet(after))

    def through(
        self, parts: tuple[Policy, ...], before: Mapping[str, FieldValue], after: Mapping[str, FieldValue]
    ) -> list[_Task]:
        """Return the task of each factor, with the packets between them chosen."""
        reached = [self.space.packet(before)]
        for part in parts[:-1]:
            reached.append(self.images.forward(part, reached[-1]))
        tasks: list[_Task] = []
        end = after
        for part, known in zip(reversed(parts), reversed(reached), strict=True):
            start = self._source(part, known, end)
            tasks.append((part, start, end))
            end = start
        return tasks[::-1]

    def rounds(self, body: Policy, before: Mapping[str, FieldValue], after: Mapping[str, FieldValue]) -> list[_Task]:
        """Return the task of each round of a star, as few as possible."""
        goal = self.space.packet(after)
        layers = [self.space.packet(before)]
        reached = layers[0]
        while not layers[-1] & goal:
            layers.append(self.images.forward(body, layers[-1]) - reached)
            reached |= layers[-1]
        return self.through((body,) * (len(layers) - 1), before, after) if len(layers) > 1 else []

    def _source(self, policy: Policy, known: PacketSet, after: Mapping[str, FieldValue]) -> Mapping[str, FieldValue]:
        sources = self.images.backward(policy, self.space.packet(after)) & known
        source = self.space.witness(sources, after, like=after)
        assert source is not None, "every packet reached has a source"
        return source


def _is_rule(policy: Policy) -> bool:
    return isinstance(policy, Product) and all(part.is_predicate or isinstance(part, Assign) for part in policy.parts)
