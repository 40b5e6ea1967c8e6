"""What the values of a field are called: ports, commands and types by name, addresses in their notation.

A field is told by its path in a message or packet, such as `actions[0].type`, `match.nw_src` or `ipv4.src`.
"""

from collections.abc import Mapping
from enum import IntEnum
from functools import cache
from typing import Final

from sdnloom.crosscheck.template.tables import ACTION_KINDS, INSTRUCTION_KINDS, MESSAGE_TYPES, STATS_KINDS
from sdnloom.network.openflow.constants import NO_BUFFER, V10, FlowCommand, GroupCommand, GroupId, MeterCommand, Port
from sdnloom.network.openflow.oxm import FIELDS
from sdnloom.network.value import ip4_text, ip6_text, mac_text

MAC_VALUE: Final = "mac"
IP4_VALUE: Final = "ip4"
IP6_VALUE: Final = "ip6"
PORT_VALUE: Final = "port"
HEX_VALUE: Final = "hex"
NUMBER_VALUE: Final = "number"

_BY_NAME: Final = {
    **dict.fromkeys(("port", "in_port", "out_port", "port_no", "watch_port", "in_phy_port"), PORT_VALUE),
    **dict.fromkeys(("dl_src", "dl_dst", "dl_addr", "hw_addr", "sha", "tha"), MAC_VALUE),
    **dict.fromkeys(("nw_src", "nw_dst", "nw_addr", "spa", "tpa"), IP4_VALUE),
    **dict.fromkeys(("group_id", "out_group", "watch_group"), "group"),
    **dict.fromkeys(
        ("wildcards", "dl_type", "eth_type", "dl_vlan", "vlan_vid", "cookie", "cookie_mask", "flags", "config", "mask",
         "advertise", "argument", "body", "data", "octets", "tail", "ethertype", "metadata", "nw_tos", "experimenter",
         "miss_send_len", "pad", "generation_id"),
        HEX_VALUE,
    ),
    "buffer_id": "buffer",
    "table_id": "table",
    "queue_id": "queue",
    "stats_type": "stats",
    "command": "command",
}  # fmt: skip
_BY_PATH: Final = {
    "ethernet.src": MAC_VALUE,
    "ethernet.dst": MAC_VALUE,
    "ethernet.type": HEX_VALUE,
    "vlan.type": HEX_VALUE,
    "ipv4.src": IP4_VALUE,
    "ipv4.dst": IP4_VALUE,
    "tcp.flags": HEX_VALUE,
    "header.type": "message",
}


def field_kind(path: str) -> str:
    """Return the kind of a field's values: a kind above, or the name of a table of constants."""
    *outer, name = path.split(".")
    if (nearest := ".".join((*outer[-1:], name))) in _BY_PATH:
        return _BY_PATH[nearest]
    name = name.split("[")[0]
    if name == "type" and outer and outer[-1].startswith(("actions[", "instructions[")):
        return outer[-1].split("[")[0]
    if name.removesuffix("_mask") in FIELDS and name not in _BY_NAME:
        if name.endswith("_mask"):
            return HEX_VALUE
        bits = FIELDS[name].bits
        if bits in (48, 128):
            return MAC_VALUE if bits == 48 else IP6_VALUE
        if name in ("ipv4_src", "ipv4_dst", "arp_spa", "arp_tpa"):
            return IP4_VALUE
        return HEX_VALUE if bits in (13, 20) else NUMBER_VALUE
    return _BY_NAME.get(name, HEX_VALUE if name.startswith("pad") else NUMBER_VALUE)


def _numbers(prefix: str, names: type[IntEnum], mask: int = -1) -> dict[str, int]:
    return {f"{prefix}{each.name}": int(each) & mask for each in names}


@cache
def constants(kind: str, version: int, message: str = "") -> Mapping[str, int]:
    """Return the named values of a kind, by the names of the specification."""
    match kind:
        case "port":
            known = _numbers("OFPP_", Port, 0xFFFF if version == V10 else -1)
            if version == V10:
                known["OFPP_NONE"] = known.pop("OFPP_ANY")
            return known
        case "group":
            return _numbers("OFPG_", GroupId)
        case "command":
            commands = {"group_mod": GroupCommand, "meter_mod": MeterCommand}
            return _numbers("", commands.get(message, FlowCommand))
        case "actions":
            return {name.upper(): each.number for name, each in ACTION_KINDS[version].items()}
        case "instructions":
            return {name.upper(): each.number for name, each in INSTRUCTION_KINDS.items()}
        case "stats":
            return {name: each.number for name, each in STATS_KINDS[version].items()}
        case "message":
            return {_constant(name): number for number, name in enumerate(MESSAGE_TYPES[version])}
        case "buffer":
            return {"NO_BUFFER": NO_BUFFER}
        case "table":
            return {"ALL": 0xFF}
        case "queue":
            return {"ALL": 0xFFFFFFFF}
    return {}


def _constant(name: str) -> str:
    return name.replace("FlowMod", "Flow Mod").upper().replace(" ", "_")


def shown_value(kind: str, bits: int, value: int, version: int, message: str = "") -> str:
    """Return a value as people write it."""
    for name, number in constants(kind, version, message).items():
        if number == value:
            return name
    if kind == MAC_VALUE and bits == 48:
        return mac_text(value)
    if kind == IP4_VALUE and bits == 32:
        return ip4_text(value)
    if kind == IP6_VALUE and bits == 128:
        return ip6_text(value)
    if kind in (HEX_VALUE, MAC_VALUE, IP4_VALUE, IP6_VALUE, "buffer", "group", "queue") or (
        kind == PORT_VALUE and value >= 0xFF00
    ):
        return f"{value:#0{(bits + 3) // 4 + 2}x}"
    return str(value)
