"""Representatives: one packet for each class and each role of its destination.

The network treats the packets of a class alike, but properties need not: packets to one host, to another host, to the
broadcast address or to an unknown address may be of one class. Each host is a role of its own: a packet to the host at
the port where all packets of the class go is delivered, and one to another host is lost.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sdnloom.inputs.domains import Domain
from sdnloom.inputs.skeletons import DESTINATIONS, SenderView, Skeleton

ROLES = ("hosts", "broadcast", "fresh")  # not "switches": only a program treats their addresses specially
_KNOWN = ("own", "hosts", "switches", "broadcast")  # words for addresses that somebody has


@dataclass(frozen=True)
class Candidates:
    """Domains in which members of a class are sought, one after the other."""

    roles: tuple[tuple[str, Domain], ...]  # (field of a destination, values of one role)
    hosts: tuple[Mapping[str, Domain], ...]  # all addresses of one host, by field

    @staticmethod
    def of(skeleton: Skeleton, sender: SenderView) -> "Candidates":
        """Return the roles that destinations of a skeleton can have in a network; none without a network."""
        if sender.topology is None:
            return Candidates((), ())
        words = sender.words
        targets = [
            (field, domain)
            for field, domain in skeleton.symbolic
            if field.name in DESTINATIONS and not field.read(skeleton.stack.template)  # not the group of LLDP
        ]
        others = [each for each in sender.topology.hosts if each != sender.host]
        roles = []
        for field, domain in targets:
            for role in ROLES:
                values = [value for value in words.values(field, role) or () if value in domain]
                roles += [(field.name, Domain.of(value)) for value in values]
            if domain.preferred is None and not domain.covers(field):  # given: a class may lack the fresh address
                known = {value for word in _KNOWN for value in words.values(field, word) or ()}
                if (unknown := domain.apart_from(known)) is not None:
                    roles.append((field.name, unknown))
        hosts = []
        for each in others:
            named = {field.name: words.values(field, each.name) for field, _ in targets}
            hosts.append({name: Domain.of(*values) for name, values in named.items() if values})
        return Candidates(tuple(roles), tuple(hosts))


def missing_roles(
    candidates: Candidates,
    present: Sequence[Mapping[str, int]],
    member: Callable[[Mapping[str, Domain]], Mapping[str, int] | None],
    witness: Mapping[str, int],
) -> Iterator[Mapping[str, int]]:
    """Yield members of a class so that, with those that are present, there is one for each role; at least one.

    `member` returns a member in given domains, or None if there is none.
    """
    chosen = list(present)
    for field, role in candidates.roles:
        if any(values.get(field, -1) in role for values in chosen):
            continue
        found = next((each for each in map(member, _domains(field, role, candidates)) if each is not None), None)
        if found is not None:
            chosen.append(found)
            yield found
    if not chosen:
        yield member({}) or witness


def _domains(field: str, role: Domain, candidates: Candidates) -> Iterator[Mapping[str, Domain]]:
    """Yield all addresses of each host of the role, then the role of the field alone."""
    for host in candidates.hosts:
        if len(host) > 1 and field in host and host[field].first in role:
            yield host
    yield {field: role}
