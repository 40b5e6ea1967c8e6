"""Policies with holes, for the network in a property and for a parameter in a definition.

A hole is an assignment to a field that no input may name, so a policy with holes prints, compares and hashes like any
other; only `fill` and `holes` treat holes specially.
"""

from collections.abc import Mapping
from typing import Any, Final

from sdnloom.netkat.syntax import Assign, Not, Policy, Product, Star, Sum, fields_of, fold_policy

PREFIX: Final = "sdnloom-hole-"
NETWORK: Final = "network"


def hole(name: str) -> Policy:
    """Return the hole with that name. It stands for any policy, so it cannot be negated."""
    return Assign(PREFIX + name, 0)


def holes(policy: Policy) -> frozenset[str]:
    """Return the names of the holes in the policy."""
    return frozenset(name.removeprefix(PREFIX) for name in fields_of(policy) if name.startswith(PREFIX))


def fill(policy: Policy, contents: Mapping[str, Policy]) -> Policy:
    """Return the policy with each named hole replaced; other holes are left."""
    if holes(policy).isdisjoint(contents):
        return policy

    def combine(node: Policy, parts: list[Any]) -> Policy:
        match node:
            case Assign(field, _) if field.startswith(PREFIX):
                return contents.get(field.removeprefix(PREFIX), node)
            case Sum():
                return Sum(parts)
            case Product():
                return Product(parts)
            case Star():
                return Star(parts[0])
            case Not():
                return Not(parts[0])
            case _:
                return node

    filled: Policy = fold_policy(policy, combine)
    return filled
