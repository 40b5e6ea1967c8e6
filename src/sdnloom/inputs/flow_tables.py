"""Flow entries that keep packets from the controller, as patterns to avoid (NICE, section 10.1).

A class of packets is useful only if one of its members reaches the handler. Entries that do not send packets to the
controller become patterns to avoid; the switch model then decides whether a packet reaches the controller.
"""

from collections.abc import Iterator
from dataclasses import replace

from sdnloom.inputs.explorer import Pattern
from sdnloom.inputs.skeletons import Skeleton
from sdnloom.network.openflow import NO_BUFFER, ApplyActions, Match, Output, PacketIn, Port, WriteActions
from sdnloom.network.openflow.match import full_mask
from sdnloom.network.packet import Packet
from sdnloom.network.switch import FlowEntry, Switch, SwitchCore, receive_packet

# OpenFlow match field -> fields of a skeleton, of which the first one that the skeleton has is used.
_FIELDS: dict[str, tuple[str, ...]] = {
    "eth_dst": ("eth.dst",),
    "eth_src": ("eth.src",),
    "eth_type": ("vlan.type", "eth.type"),
    "ip_dscp": ("ipv4.dscp", "ipv6.dscp"),
    "ip_ecn": ("ipv4.ecn", "ipv6.ecn"),
    "ip_proto": ("ipv4.proto", "ipv6.proto"),
    "icmpv4_type": ("icmp.type",),
    "icmpv4_code": ("icmp.code",),
    **{f"ipv{version}_{end}": (f"ipv{version}.{end}",) for version in (4, 6) for end in ("src", "dst")},
    **{f"{proto}_{end}": (f"{proto}.{end}_port",) for proto in ("tcp", "udp") for end in ("src", "dst")},
    **{f"arp_{name}": (f"arp.{name}",) for name in ("op", "spa", "tpa", "sha", "tha")},
    **{f"mpls_{name}": (f"mpls.{name}",) for name in ("label", "tc", "bos")},
    **{f"icmpv6_{name}": (f"icmpv6.{name}",) for name in ("type", "code")},
}


def blocking_patterns(core: SwitchCore, port: int, skeleton: Skeleton) -> tuple[Pattern, ...]:
    """Return the patterns that a packet of the skeleton must not agree with in order to reach the controller."""
    found = (_pattern(entry.match, port, skeleton) for entry in core.flows if not _sends_to_controller(entry))
    return tuple(dict.fromkeys(pattern for pattern in found if pattern is not None))


def _pattern(match: Match, port: int, skeleton: Skeleton) -> Pattern | None:
    """Return the match as a pattern of the skeleton; None if it matches none of the skeleton's packets."""
    parts = []
    for name, value, mask in match.fields:
        if name == "in_port":
            if value != port:
                return None
            continue
        field = next((each for each in _FIELDS.get(name, ()) if skeleton.domain(each) is not None), None)
        if field is None:
            if name in _FIELDS:
                return None  # a header that these packets do not have
            continue  # unknown field: avoid too much rather than too little
        parts.append((field, value, full_mask(name) if mask is None else mask))
    return tuple(parts)


def _avoidable(entry: FlowEntry, port: int, skeleton: Skeleton) -> bool:
    """Whether some packets of the skeleton are not matched by the entry."""
    pattern = _pattern(entry.match, port, skeleton)
    domains = [skeleton.domain(name) for name, _, _ in pattern or ()]
    return any(domain is not None and not domain.pinned for domain in domains)


def _sends_to_controller(entry: FlowEntry) -> bool:
    lists = [each.actions for each in entry.instructions if isinstance(each, ApplyActions | WriteActions)]
    return any(isinstance(each, Output) and each.port == Port.CONTROLLER for actions in lists for each in actions)


def packet_in_for(config: Switch, core: SwitchCore, port: int, packet: Packet) -> PacketIn | None:
    """Return the message in which the switch sends the packet to the controller; None if it does not."""
    for outcome in receive_packet(config, core, port, packet):
        for message in outcome.messages:
            if isinstance(message, PacketIn):
                return message
    return None


def packet_in_template(config: Switch, core: SwitchCore, port: int, skeleton: Skeleton) -> PacketIn | None:
    """Return the message in which packets of the skeleton reach the controller, without data; None if none does.

    The id of a buffer does not matter to a handler, so it is always 0.
    """
    packet = skeleton.packet({})
    for candidate in _candidate_cores(core, port, skeleton):
        message = packet_in_for(config, candidate, port, packet)
        if message is not None:
            buffered = message.buffer_id != NO_BUFFER
            return replace(message, data=b"", buffer_id=0 if buffered else NO_BUFFER)
    return None


def _candidate_cores(core: SwitchCore, port: int, skeleton: Skeleton) -> Iterator[SwitchCore]:
    """Yield the switch as it is, then without avoidable entries, then with one entry that matches all packets."""
    yield replace(core, buffers=())
    kept = [entry for entry in core.flows if _sends_to_controller(entry) or not _avoidable(entry, port, skeleton)]
    yield replace(core, buffers=(), flows=tuple(kept))
    for entry in core.flows:
        if _sends_to_controller(entry) and _pattern(entry.match, port, skeleton) is not None:
            yield replace(core, buffers=(), flows=(replace(entry, table=0, match=Match()),))
