"""One packet for each class and each role that its destination can have in the network.

A class says what the program tells apart; the network tells more apart: a packet to a host, to everybody or to nobody
may be one class and end in different places. A representative misses the flow tables on its way wherever one does.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sdnloom.inputs.classes import InputClass, Pattern
from sdnloom.inputs.domains import Domain
from sdnloom.inputs.skeletons import TARGETS, SenderView, Skeleton

ROLES = ("hosts", "broadcast", "fresh")  # a switch is told from nobody only by a program, and then by its class


@dataclass(frozen=True)
class Candidates:
    """Where members of a class are looked for: the roles of each destination, and hosts with all their addresses."""

    roles: tuple[tuple[str, Domain], ...]  # (field, the values of one role)
    hosts: tuple[Mapping[str, Domain], ...]

    @staticmethod
    def of(skeleton: Skeleton, setting: SenderView) -> "Candidates":
        """The roles that packets of a skeleton can play in a network; none without a network."""
        if setting.topology is None:
            return Candidates((), ())
        words = setting.words
        targets = [(field, domain) for field, domain in skeleton.symbolic if field.name in TARGETS]
        others = [each for each in setting.topology.hosts if each != setting.host]
        roles = []
        for field, domain in targets:
            for role in ROLES:
                values = [value for value in words.values(field, role) or () if value in domain]
                if values:
                    roles.append((field.name, Domain.of(*values)))
        hosts = []
        for each in others:
            named = {field.name: words.values(field, each.name) for field, _ in targets}
            hosts.append({name: Domain.of(*values) for name, values in named.items() if values})
        return Candidates(tuple(roles), tuple(hosts))


def representatives(
    one: InputClass,
    candidates: Candidates,
    avoiding: Sequence[Pattern],
    reaches: Callable[[Mapping[str, int]], bool],
) -> list[Mapping[str, int]]:
    """The values of a member for each role, at least one in all; `reaches` says whether one gets to the controller."""
    chosen: list[Mapping[str, int]] = []
    for field, role in candidates.roles:
        if any(values.get(field, -1) in role for values in chosen):
            continue
        found = _member(one, _ways(field, role, candidates), avoiding, reaches)
        if found is not None:
            chosen.append(found)
    return chosen or [_member(one, iter(({},)), avoiding, reaches) or one.witness]


def _ways(field: str, role: Domain, candidates: Candidates) -> Iterator[Mapping[str, Domain]]:
    """The role as a host with all its addresses, then as the field alone."""
    for host in candidates.hosts:
        if len(host) > 1 and field in host and host[field].first in role:
            yield host
    yield {field: role}


def _member(
    one: InputClass,
    ways: Iterator[Mapping[str, Domain]],
    avoiding: Sequence[Pattern],
    reaches: Callable[[Mapping[str, int]], bool],
) -> Mapping[str, int] | None:
    """The first member that gets to the controller; if none does, the first member."""
    fallback = None
    for within in ways:
        found = one.member(within, avoiding)
        if found is not None and reaches(found):
            return found
        fallback = fallback or found or one.member(within, ())
    return fallback
