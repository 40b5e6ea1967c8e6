"""Flow tables as seen by a packet that is to reach the controller: which entries stand in its way (NICE, section 10.1).

A class of packets is of use only if some member gets to the handler. Entries that answer without the controller become
patterns to be avoided; whether a packet does reach the controller is then asked of the switch itself.
"""

from collections.abc import Iterator
from dataclasses import replace

from sdnloom.inputs.classes import Pattern
from sdnloom.inputs.skeletons import Skeleton
from sdnloom.network.openflow import NO_BUFFER, ApplyActions, Match, Output, PacketIn, Port, WriteActions
from sdnloom.network.openflow.match import full_mask
from sdnloom.network.packet import Packet
from sdnloom.network.switch import FlowEntry, Switch, SwitchCore, receive_packet

# OpenFlow's names -> the fields of a skeleton; the first one that the skeleton has is meant.
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
    **{f"icmpv6_{name}": (f"icmpv6.{name}",) for name in ("type", "code")},
}


def in_the_way(core: SwitchCore, port: int, skeleton: Skeleton) -> tuple[Pattern, ...]:
    """What a packet of the skeleton must not agree with, to be brought to the controller."""
    found = (_pattern(entry.match, port, skeleton) for entry in core.flows if not _tells_controller(entry))
    return tuple(dict.fromkeys(pattern for pattern in found if pattern is not None))


def _pattern(match: Match, port: int, skeleton: Skeleton) -> Pattern | None:
    """The match in terms of the skeleton; None if none of its packets can be matched."""
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
            continue  # not known: rather avoid too much
        parts.append((field, value, full_mask(name) if mask is None else mask))
    return tuple(parts)


def _avoidable(entry: FlowEntry, port: int, skeleton: Skeleton) -> bool:
    """Whether packets of the skeleton may differ from what the entry matches."""
    pattern = _pattern(entry.match, port, skeleton)
    domains = [skeleton.domain(name) for name, _, _ in pattern or ()]
    return any(domain is not None and not domain.pinned for domain in domains)


def _tells_controller(entry: FlowEntry) -> bool:
    lists = [each.actions for each in entry.instructions if isinstance(each, ApplyActions | WriteActions)]
    return any(isinstance(each, Output) and each.port == Port.CONTROLLER for actions in lists for each in actions)


def brought_in(config: Switch, core: SwitchCore, port: int, packet: Packet) -> PacketIn | None:
    """The message in which the switch brings the packet to the controller; None if it does not."""
    for outcome in receive_packet(config, core, port, packet):
        for message in outcome.messages:
            if isinstance(message, PacketIn):
                return message
    return None


def envelope(config: Switch, core: SwitchCore, port: int, skeleton: Skeleton) -> PacketIn | None:
    """The message in which packets of the skeleton come to the controller, without its data; None if none does.

    The number of a buffer is of no account to a handler, so it is always the first one.
    """
    packet = skeleton.packet({})
    for candidate in _cores(core, port, skeleton):
        message = brought_in(config, candidate, port, packet)
        if message is not None:
            kept = message.buffer_id != NO_BUFFER
            return replace(message, data=b"", buffer_id=0 if kept else NO_BUFFER)
    return None


def _cores(core: SwitchCore, port: int, skeleton: Skeleton) -> Iterator[SwitchCore]:
    """The switch as it is, then without entries that packets can miss, then with one that sends all packets up."""
    yield replace(core, buffers=())
    kept = [entry for entry in core.flows if _tells_controller(entry) or not _avoidable(entry, port, skeleton)]
    yield replace(core, buffers=(), flows=tuple(kept))
    for entry in core.flows:
        if _tells_controller(entry) and _pattern(entry.match, port, skeleton) is not None:
            yield replace(core, buffers=(), flows=(replace(entry, table=0, match=Match()),))
