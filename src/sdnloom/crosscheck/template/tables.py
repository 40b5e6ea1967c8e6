"""The messages, actions, instructions and statistics that a test can name: number and layout, for each version."""

from typing import Final, NamedTuple

from sdnloom.network.openflow.constants import V10, V13


class Kind(NamedTuple):
    """One kind: the number that tells it on the wire, its layout, and how a test calls the layout's `value`."""

    number: int
    struct: str
    value: str = "value"


_MESSAGES: Final = {
    # name: (number in 1.0, number in 1.3, layout); None: the version has no such message
    "hello": (0, 0, "empty"),
    "error": (1, 1, "error"),
    "echo_request": (2, 2, "empty"),
    "echo_reply": (3, 3, "empty"),
    "experimenter": (4, 4, "experimenter"),
    "features_request": (5, 5, "empty"),
    "get_config_request": (7, 7, "empty"),
    "set_config": (9, 9, "switch_config"),
    "packet_out": (13, 13, "packet_out"),
    "flow_mod": (14, 14, "flow_mod"),
    "group_mod": (None, 15, "group_mod"),
    "port_mod": (15, 16, "port_mod"),
    "table_mod": (None, 17, "table_mod"),
    "stats_request": (16, 18, "stats"),
    "barrier_request": (18, 20, "empty"),
    "queue_config_request": (20, 22, "queue_config_request"),
    "role_request": (None, 24, "role"),
    "get_async_request": (None, 26, "empty"),
    "set_async": (None, 28, "async"),
    "meter_mod": (None, 29, "meter_mod"),
}
MESSAGE_KINDS: Final[dict[int, dict[str, Kind]]] = {
    V10: {name: Kind(number, layout) for name, (number, _, layout) in _MESSAGES.items() if number is not None},
    V13: {name: Kind(number, layout) for name, (_, number, layout) in _MESSAGES.items()},
}
RAW: Final = "raw"  # a message of a header and a body, whatever its type

# All types of messages, for names: what a symbolic type turns out to be.
_BOTH_TYPES: Final = (
    "Hello", "Error", "Echo Request", "Echo Reply", "Experimenter", "Features Request", "Features Reply",
    "Get Config Request", "Get Config Reply", "Set Config", "Packet In", "Flow Removed", "Port Status", "Packet Out",
    "FlowMod",
)  # fmt: skip
MESSAGE_TYPES: Final = {
    V10: (
        *("Vendor" if name == "Experimenter" else name for name in _BOTH_TYPES),
        "Port Mod", "Stats Request", "Stats Reply", "Barrier Request", "Barrier Reply",
        "Queue Config Request", "Queue Config Reply",
    ),
    V13: (
        *_BOTH_TYPES, "Group Mod", "Port Mod", "Table Mod", "Stats Request", "Stats Reply", "Barrier Request",
        "Barrier Reply", "Queue Config Request", "Queue Config Reply", "Role Request", "Role Reply",
        "Get Async Request", "Get Async Reply", "Set Async", "Meter Mod",
    ),
}  # fmt: skip

_STATS10: Final = {
    "DESC": Kind(0, "stats"),
    "FLOW": Kind(1, "flow_stats_request"),
    "AGGREGATE": Kind(2, "flow_stats_request"),
    "TABLE": Kind(3, "stats"),
    "PORT": Kind(4, "port_stats_request"),
    "QUEUE": Kind(5, "queue_stats_request"),
    "VENDOR": Kind(0xFFFF, "experimenter_stats"),
}
_STATS13: Final = {
    **{name: kind for name, kind in _STATS10.items() if name != "VENDOR"},
    "GROUP": Kind(6, "group_stats_request"),
    "GROUP_DESC": Kind(7, "stats"),
    "GROUP_FEATURES": Kind(8, "stats"),
    "METER": Kind(9, "meter_request"),
    "METER_CONFIG": Kind(10, "meter_request"),
    "METER_FEATURES": Kind(11, "stats"),
    "TABLE_FEATURES": Kind(12, "stats"),
    "PORT_DESC": Kind(13, "stats"),
    "EXPERIMENTER": Kind(0xFFFF, "experimenter_stats"),
}
STATS_KINDS: Final = {V10: _STATS10, V13: _STATS13}

_ACTIONS10: Final = {
    "output": Kind(0, "output"),
    "set_vlan_vid": Kind(1, "set_vlan_vid", "vlan_vid"),
    "set_vlan_pcp": Kind(2, "set_vlan_pcp", "vlan_pcp"),
    "strip_vlan": Kind(3, "strip_vlan"),
    "set_dl_src": Kind(4, "set_dl_addr", "dl_addr"),
    "set_dl_dst": Kind(5, "set_dl_addr", "dl_addr"),
    "set_nw_src": Kind(6, "set_nw_addr", "nw_addr"),
    "set_nw_dst": Kind(7, "set_nw_addr", "nw_addr"),
    "set_nw_tos": Kind(8, "set_nw_tos", "nw_tos"),
    "set_tp_src": Kind(9, "set_tp_port", "tp_port"),
    "set_tp_dst": Kind(10, "set_tp_port", "tp_port"),
    "enqueue": Kind(11, "enqueue"),
    "vendor": Kind(0xFFFF, "experimenter_action"),
}
_ACTIONS13: Final = {
    "output": Kind(0, "output"),
    "copy_ttl_out": Kind(11, "bare_action"),
    "copy_ttl_in": Kind(12, "bare_action"),
    "set_mpls_ttl": Kind(15, "ttl_action"),
    "dec_mpls_ttl": Kind(16, "bare_action"),
    "push_vlan": Kind(17, "ethertype_action"),
    "pop_vlan": Kind(18, "bare_action"),
    "push_mpls": Kind(19, "ethertype_action"),
    "pop_mpls": Kind(20, "ethertype_action"),
    "set_queue": Kind(21, "set_queue"),
    "group": Kind(22, "group_action"),
    "set_nw_ttl": Kind(23, "ttl_action"),
    "dec_nw_ttl": Kind(24, "bare_action"),
    "set_field": Kind(25, "set_field"),
    "push_pbb": Kind(26, "ethertype_action"),
    "pop_pbb": Kind(27, "bare_action"),
    "experimenter": Kind(0xFFFF, "experimenter_action"),
}
ACTION_KINDS: Final = {V10: _ACTIONS10, V13: _ACTIONS13}

INSTRUCTION_KINDS: Final = {
    "goto_table": Kind(1, "goto_table"),
    "write_metadata": Kind(2, "write_metadata"),
    "write_actions": Kind(3, "actions_instruction"),
    "apply_actions": Kind(4, "actions_instruction"),
    "clear_actions": Kind(5, "actions_instruction"),
    "meter": Kind(6, "meter"),
    "experimenter": Kind(0xFFFF, "experimenter_instruction"),
}
