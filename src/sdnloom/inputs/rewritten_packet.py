"""A symbolic packet after a switch, a handler or a host has changed it.

What became of some packets shows it, each with what it was before. A field that has kept its value in all of them is
still the same variable; any other value is a constant, unless another variable field had it in all of them (addresses
that an answer swaps) or it is a time to live that was lowered. Fields that an action has set are known and constant.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from sdnloom.inputs.concolic import variable
from sdnloom.inputs.domains import Domain
from sdnloom.inputs.skeletons import Skeleton
from sdnloom.inputs.stacks import STACKS, Stack, StackField, stack_of, stack_of_packet
from sdnloom.network.packet import LAYOUTS, Header, Packet, decode, encode
from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import Term, const
from sdnloom.symbolic.terms.substitute import substitute

_MOST_HOPS = 32  # by which a time to live is lowered in one step


@dataclass(frozen=True)
class SymbolicPacket:
    """Packets of a skeleton. Variables named in `origin` stand for a term over the variables of the packets sent."""

    skeleton: Skeleton
    origin: tuple[tuple[str, Term], ...] = ()

    def sent(self, condition: Term) -> Term:
        """Return a condition on this packet as a condition on the packet that was sent."""
        return substitute(condition, dict(self.origin)) if self.origin else condition

    def after(self, change: "SymbolicPacket") -> "SymbolicPacket":
        """Return the packet that `change`, a change of packets of this skeleton, makes of this one."""
        if not self.origin:
            return change
        mine, names = dict(self.origin), {field.name for field, _ in change.skeleton.symbolic}
        changed = {name: substitute(term, mine) for name, term in change.origin}
        kept = {name: term for name, term in self.origin if name in names and name not in changed}
        return SymbolicPacket(change.skeleton, tuple(sorted({**kept, **changed}.items())))


def changed_packet(
    skeleton: Skeleton, samples: Sequence[tuple[bytes, Packet]], rewritten: frozenset[str] = frozenset()
) -> SymbolicPacket | None:
    """Return the packets that those of a skeleton become, given frames of them and what became of each.

    `rewritten` names fields that are constants now. None if the headers are not followed, or not those of all samples.
    """
    frames = [(frame, encode(packet)) for frame, packet in samples]
    now, packet = frames[0][1], samples[0][1]
    stack = _stack_of(skeleton.stack, packet, now)
    others = (_stack_of(skeleton.stack, each, made) for (_, each), (_, made) in zip(samples, frames, strict=True))
    if stack is None or any(each is not stack for each in others):
        return None
    pairs = zip(skeleton.stack.fields, skeleton.domains, strict=True)
    before = {field.name: (field, domain) for field, domain in pairs}
    symbolic = [field for field, _ in skeleton.symbolic if not field.computed]
    domains, origin = list[Domain](), dict[str, Term]()
    for field in stack.fields:
        value, (old, domain) = field.read(now), before.get(field.name, (None, Domain.of(field.read(now))))
        if field.computed:
            domains.append(domain if old is not None else Domain.anything(field, value))
            continue
        constant = field.name in rewritten
        if old is not None and not constant and all(old.read(one) == field.read(other) for one, other in frames):
            domains.append(domain)
            continue
        term = None if constant else _origin(field, old, domain, symbolic, frames)
        if term is None:
            domains.append(Domain.of(value))
        else:
            domains.append(Domain.anything(field, value))
            origin[field.name] = term
    same = stack is skeleton.stack and tuple(domains) == skeleton.domains
    changed = skeleton if same else Skeleton(stack, tuple(domains), skeleton.follows)
    return SymbolicPacket(changed, tuple(sorted(origin.items())))


def _origin(
    field: StackField,
    old: StackField | None,
    domain: Domain,
    symbolic: list[StackField],
    frames: Sequence[tuple[bytes, bytes]],
) -> Term | None:
    """Return the term of a field that does not have its own value any more; None for a constant."""
    if old is not None and field.name.endswith(".ttl") and not domain.pinned:
        lowered = old.read(frames[0][0]) - field.read(frames[0][1])
        if 0 < lowered <= _MOST_HOPS and all(old.read(one) - field.read(other) == lowered for one, other in frames):
            return terms.sub(variable(old), const(lowered, field.bits))
    for other in symbolic:
        same = (other.bits, other.kind) == (field.bits, field.kind)
        if same and all(other.read(one) == field.read(now) for one, now in frames):
            return variable(other)
    return None


def _stack_of(stack: Stack, packet: Packet, frame: bytes) -> Stack | None:
    """Return the stack of a packet, by its headers: the present one if they are the same."""
    kinds = tuple(map(type, packet.headers))
    if kinds == tuple(map(type, _headers(stack))):
        return stack if len(frame) >= len(stack.template) else None
    name = _names().get(kinds)
    if name is not None:
        return stack_of(name) if len(frame) >= len(stack_of(name).template) else None
    return None if any(kind not in LAYOUTS for kind in kinds) else _unnamed_stack(packet.headers)


@lru_cache(maxsize=1 << 8)
def _headers(stack: Stack) -> tuple[Header, ...]:
    return decode(stack.template).headers


_unnamed: dict[tuple[type[Header], ...], Stack] = {}


def _unnamed_stack(headers: tuple[Header, ...]) -> Stack:
    """Return the stack of headers that no stack has, such as two VLAN tags; one for the same kinds of headers."""
    kinds = tuple(map(type, headers))
    if kinds not in _unnamed:
        _unnamed[kinds] = stack_of_packet("other", Packet(headers))
    return _unnamed[kinds]


@cache
def _kinds(name: str) -> tuple[type[Header], ...]:
    return tuple(map(type, decode(stack_of(name).template).headers))


@cache
def _names() -> dict[tuple[type[Header], ...], str]:
    found: dict[tuple[type[Header], ...], str] = {}
    for name in STACKS:
        if name != "bpdu":  # its headers are those of any frame
            found.setdefault(_kinds(name), name)
    return found


def packet_values(skeleton: Skeleton, packet: Packet) -> Mapping[str, int] | None:
    """Return the values of a packet's symbolic fields, if it is one of the skeleton; what follows does not matter."""
    frame = encode(packet)
    if _stack_of(skeleton.stack, packet, frame) is not skeleton.stack:
        return None
    values = {field.name: field.read(frame) for field in skeleton.stack.fields}
    free = {field.name for field in skeleton.stack.fields if field.computed or field.name.endswith(".length")}
    if not skeleton.admits({name: value for name, value in values.items() if name not in free}):
        return None
    return {field.name: values[field.name] for field, _ in skeleton.symbolic}
