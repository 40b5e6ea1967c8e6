"""Emptiness, containment and equivalence of policies, each refuted by a concrete pair of packets.

Exact over unbounded value domains: values that neither policy names behave alike, and one fresh value stands for them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sdnloom.netkat.image import Images
from sdnloom.netkat.packets import MAX_FIELDS, Space
from sdnloom.netkat.relation import Relation, Relations
from sdnloom.netkat.syntax import FieldValue, Policy, assigned_fields, fields_of

Side: TypeAlias = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Witness:
    """An input packet and an output packet that only the policy on `side` produces from it."""

    before: Mapping[str, FieldValue]
    after: Mapping[str, FieldValue]
    side: Side = "left"


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to a question about policies: true, or false with a witness."""

    witness: Witness | None = None

    def __bool__(self) -> bool:
        return self.witness is None


def space_for(*policies: Policy) -> Space:
    """Return a space for the policies with the fields that none of them assigns first.

    That order keeps diagrams small: a test of such a field holds throughout.
    """
    changed = frozenset[str]().union(*map(assigned_fields, policies))
    named = frozenset[str]().union(*map(fields_of, policies))
    return Space([*sorted(named - changed), *sorted(changed)])


def images_for(policies: Iterable[Policy]) -> Images | None:
    """Return images that questions about all these policies can share.

    None if they have more fields together than one space holds: then each question needs images of its own.
    """
    policies = list(policies)
    if len(frozenset[str]().union(*map(fields_of, policies))) > MAX_FIELDS:
        return None
    return Images(space_for(*policies))


def is_empty(policy: Policy, images: Images | None = None) -> Decision:
    """Return whether the policy drops every packet; the witness is a packet that it lets through."""
    images = images or Images(space_for(policy))
    space = images.space
    named = sorted(fields_of(policy))
    after = space.witness(images.forward(policy, space.everything), named)
    if after is None:
        return Decision()
    before = space.witness(images.backward(policy, space.packet(after)), named, like=after)
    assert before is not None, "an output has an input"
    return Decision(Witness(before, after))


def contains(smaller: Policy, larger: Policy, images: Images | None = None) -> Decision:
    """Return whether `smaller <= larger`: every output of the first is one of the second, for every input."""
    relations = (images or Images(space_for(smaller, larger))).relations
    excess = relations.difference(relations.of(smaller), relations.of(larger))
    return Decision(_witness(relations, excess, "left", smaller, larger))


def equivalent(left: Policy, right: Policy, images: Images | None = None) -> Decision:
    """Return whether both policies have the same outputs for every input; the witness names the side of its output."""
    relations = (images or Images(space_for(left, right))).relations
    a, b = relations.of(left), relations.of(right)
    if a is b:
        return Decision()
    return Decision(
        _witness(relations, relations.difference(a, b), "left", left, right)
        or _witness(relations, relations.difference(b, a), "right", left, right)
    )


def _witness(relations: Relations, relation: Relation, side: Side, *policies: Policy) -> Witness | None:
    pair = relations.pair(relation, sorted(frozenset[str]().union(*map(fields_of, policies))))
    return None if pair is None else Witness(pair.before, pair.after, side)
