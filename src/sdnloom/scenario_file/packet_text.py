"""Packets in scenario files: `{ kind = "tcp", to = "B", dst_port = 80, flags = ["SYN"] }`."""

from collections.abc import Mapping
from typing import Any

from sdnloom.errors import SdnloomError
from sdnloom.network.packet import Ethernet, Icmp, IPv4, Packet, Tcp, TcpFlag, Udp, Vlan, stack
from sdnloom.network.topology import HostSpec, Topology
from sdnloom.network.traffic import BROADCAST, arp_request
from sdnloom.network.value import ip, mac
from sdnloom.scenario_file.by_signature import ValueType

_KINDS = ("frame", "ping", "arp", "tcp", "udp")
_FLAG: dict[str, Any] = {"enum": list(TcpFlag.__members__)}
PACKET_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "kind": {"enum": list(_KINDS), "default": "frame"},
        "to": {"type": "string"},
        "src": {"type": "string"},
        "dst": {"type": "string"},
        "type": {"type": "integer", "minimum": 0, "maximum": 0xFFFF, "default": 0x88B5},
        "vlan": {"type": "integer", "minimum": 0, "maximum": 4095},
        "src_port": {"type": "integer", "minimum": 0, "maximum": 0xFFFF, "default": 1024},
        "dst_port": {"type": "integer", "minimum": 0, "maximum": 0xFFFF, "default": 80},
        "flags": {"anyOf": [{"type": "array", "items": _FLAG}, _FLAG], "default": ["SYN"]},
        "payload": {"type": "string", "default": ""},
        "hex": {"type": "string", "pattern": "^([0-9a-fA-F]{2}|[ \\t\\n])*$", "default": ""},
    },
    # A packet of another kind than "frame" goes to a host.
    "anyOf": [{"properties": {"kind": {"const": "frame"}}}, {"required": ["to"]}],
    "additionalProperties": False,
}
_KEYS = tuple(PACKET_SCHEMA["properties"])


class PacketTextError(SdnloomError):
    """A packet of a scenario file that is not valid."""


def packet_type(topology: Topology, host: HostSpec) -> ValueType:
    """How the packets of this host are written."""
    expected = 'a packet such as { kind = "ping", to = "B" }'
    return ValueType(expected, lambda value: read_packet(value, topology, host), PACKET_SCHEMA)


def read_packet(value: Any, topology: Topology, host: HostSpec) -> Packet:
    """The packet of a table. `to` is a host; `src` and `dst` are MAC addresses other than the hosts' own."""
    if not isinstance(value, dict):
        raise ValueError
    for key in value:
        if key not in _KEYS:
            raise PacketTextError(f"{key!r} is unknown, the keys are {', '.join(_KEYS)}")
    kind = value.get("kind", "frame")
    if kind not in _KINDS:
        raise PacketTextError(f"kind is {kind!r}, the kinds are {', '.join(_KINDS)}")
    target = topology.host(_typed(value, "to", str)) if "to" in value else None
    if target is None and kind != "frame":
        raise PacketTextError(f"a packet of kind {kind} needs `to`, the name of a host")
    src = mac(_typed(value, "src", str)) if "src" in value else host.mac
    dst = mac(_typed(value, "dst", str)) if "dst" in value else target.mac if target else BROADCAST
    outer: list[Any] = [Ethernet(dst, src, _number(value, "type", 0x88B5, 0xFFFF) if kind == "frame" else 0)]
    if "vlan" in value:
        outer.append(Vlan(_number(value, "vlan", 1, 4095)))
    payload = _payload(value)
    if target is None or kind == "frame":
        return stack(*outer, payload=payload)
    if kind == "arp":
        return stack(*outer, arp_request(host, target.ip).headers[1])
    ports = _number(value, "src_port", 1024, 0xFFFF), _number(value, "dst_port", 80, 0xFFFF)
    inner: Icmp | Udp | Tcp = (
        Icmp(8) if kind == "ping" else Udp(*ports) if kind == "udp" else Tcp(*ports, flags=_flags(value))
    )
    return stack(*outer, IPv4(host.ip, target.ip), inner, payload=payload)


def _addresses(value: Any) -> tuple[int, int]:
    if not isinstance(value, dict) or sorted(value) != ["ip", "mac"]:
        raise ValueError
    return mac(_typed(value, "mac", str)), ip(_typed(value, "ip", str))


ADDRESSES = ValueType(
    'addresses such as { mac = "00:00:00:00:00:09", ip = "10.0.0.9" }',
    _addresses,
    {
        "type": "object",
        "properties": {"mac": {"type": "string"}, "ip": {"type": "string"}},
        "required": ["mac", "ip"],
        "additionalProperties": False,
    },
)


def _typed(value: dict[str, Any], key: str, kind: type) -> Any:
    if type(value[key]) is not kind:
        raise PacketTextError(f"{key} is {value[key]!r}")
    return value[key]


def _payload(value: dict[str, Any]) -> bytes:
    """The bytes after the headers: text, or with `hex` any bytes."""
    text = _typed(value, "payload", str).encode() if "payload" in value else b""
    if "hex" not in value:
        return text
    try:
        return text + bytes.fromhex(_typed(value, "hex", str))
    except ValueError as error:
        raise PacketTextError(f"hex is {value['hex'][:40]!r}, no pairs of hexadecimal digits") from error


def _number(value: dict[str, Any], key: str, default: int, most: int) -> int:
    number = value.get(key, default)
    if type(number) is not int or not 0 <= number <= most:
        raise PacketTextError(f"{key} is not a number from 0 to {most}")
    return number


def _flags(value: dict[str, Any]) -> int:
    flags = 0
    names = value.get("flags", ["SYN"])
    for name in names if isinstance(names, list) else [names]:
        if not isinstance(name, str) or name not in TcpFlag.__members__:
            raise PacketTextError(f"flag {name!r} is none of {', '.join(TcpFlag.__members__)}")
        flags |= TcpFlag[name]
    return int(flags)
