"""The table of differences between reference-like and ovs-like, with an input for each that shows it.

The categories are those of SOFT, section 5.1.2, in its order; the last one is ours. `docs/crosscheck-agents.md` shows
the table, the tests run its inputs, and the benchmarks compare the number of reported root causes with its length.
"""

from dataclasses import dataclass, field, replace
from typing import Final

CATEGORIES: Final = (
    "packet dropped when action is invalid",
    "packet forwarded to an invalid port",
    "lack of error messages",
    "agent terminates with an error",
    "different order of validation",
    "statistics requests silently ignored",
    "missing features",
    "what a switch says of itself",
)
_INVALID, _PORTS, _NO_ERRORS, _CRASH, _ORDER, _STATISTICS, _FEATURES, _ITSELF = CATEGORIES


@dataclass(frozen=True)
class DifferenceRow:
    """One difference: the message and its fields, what each agent does, and an input of a built-in test that shows it.

    The values are those of variables that differ from the test's harmless input.
    """

    name: str
    category: str
    message: str
    fields: str
    reference: str
    ovs: str
    test: str
    case: str = "test"
    values: tuple[tuple[str, int], ...] = field(default=(), repr=False)

    @property
    def crashes(self) -> bool:
        """Whether reference-like crashes; ovs-like never does."""
        return self.category == _CRASH


def _action(kind: int, argument: int) -> tuple[tuple[str, int], ...]:
    return ("m1.actions[0].type", kind), ("m1.actions[0].argument", argument)


def _bad_value(message: str, field_name: str, kind: int, argument: int, what: str) -> DifferenceRow:
    packet_out = message == "Packet Out"
    return DifferenceRow(
        f"{'packet-out' if packet_out else 'flow-mod'}-{field_name.replace('_', '-')}",
        _INVALID,
        message,
        f"{field_name} {what}",
        "ignores the bits that the field lacks, and forwards",
        "ignores the whole message, without an error" if packet_out else "refuses: bad_action/bad_argument",
        "packet-out" if packet_out else "flow-mod",
        "tagged" if packet_out else "test",
        _action(kind, argument),
    )


DIFFERENCES: Final = (
    *(
        _bad_value(message, *bad)
        for message in ("Packet Out", "FlowMod")
        for bad in (
            ("vlan_vid", 1, 0x10050000, "above 0xfff"),
            ("vlan_pcp", 2, 0x0A000000, "above 7"),
            ("nw_tos", 8, 0x21000000, "with one of its two low bits"),
        )
    ),
    DifferenceRow(
        "flow-mod-matched-port",
        _PORTS,
        "FlowMod",
        "output port equal to match.in_port",
        "refuses: bad_action/bad_out_port",
        "installs the entry, which drops the packets",
        "flow-mod",
        values=(("m1.match.wildcards", 0x3FFFFE), ("m1.match.in_port", 2)),
    ),
    DifferenceRow(
        "flow-mod-large-port",
        _PORTS,
        "FlowMod",
        "output port 256 to 0xfff7",
        "installs the entry, which drops the packets",
        "refuses: bad_action/bad_out_port",
        "flow-mod",
        values=(("m1.actions[1].port", 256),),
    ),
    DifferenceRow(
        "packet-out-large-port",
        _PORTS,
        "Packet Out",
        "output port 256 to 0xfff7",
        "drops the packet",
        "refuses: bad_action/bad_out_port",
        "packet-out",
        "untagged",
        (("m1.actions[1].port", 256),),
    ),
    DifferenceRow(
        "packet-out-buffer",
        _NO_ERRORS,
        "Packet Out",
        "buffer_id that does not exist",
        "does nothing",
        "answers bad_request/buffer_unknown",
        "packet-out",
        "untagged",
        (("m1.buffer_id", 7),),
    ),
    DifferenceRow(
        "flow-mod-buffer",
        _NO_ERRORS,
        "FlowMod",
        "buffer_id that does not exist",
        "installs the entry",
        "installs the entry and answers bad_request/buffer_unknown",
        "flow-mod",
        values=(("m1.buffer_id", 7),),
    ),
    DifferenceRow(
        "crash-controller",
        _CRASH,
        "Packet Out",
        "output port CONTROLLER",
        "crashes",
        "sends a Packet In",
        "packet-out",
        "untagged",
        (("m1.actions[1].port", 0xFFFD),),
    ),
    DifferenceRow(
        "crash-vlan",
        _CRASH,
        "Packet Out",
        "SET_VLAN_VID for a packet without a tag",
        "crashes",
        "adds a tag, and forwards",
        "packet-out",
        "untagged",
        _action(1, 0x00050000),
    ),
    DifferenceRow(
        "crash-queues",
        _CRASH,
        "Queue Get Config Request",
        "port 0",
        "crashes",
        "answers queue_op_failed/bad_port",
        "queue-config",
        values=(("m1.port", 0),),
    ),
    DifferenceRow(
        "order-buffer-port",
        _ORDER,
        "Packet Out",
        "buffer_id that does not exist, and output port NONE",
        "checks ports first: bad_action/bad_out_port",
        "looks for the buffer first: bad_request/buffer_unknown",
        "packet-out",
        "untagged",
        (("m1.buffer_id", 7), ("m1.actions[1].port", 0xFFFF)),
    ),
    DifferenceRow(
        "statistics-type",
        _STATISTICS,
        "Stats Request",
        "stats_type that does not exist",
        "does nothing",
        "answers bad_request/bad_stat",
        "stats-request",
        "no_body",
        (("m1.stats_type", 9),),
    ),
    DifferenceRow(
        "statistics-vendor",
        _STATISTICS,
        "Stats Request VENDOR",
        "stats_type",
        "does nothing",
        "answers bad_request/bad_vendor",
        "stats-request",
        "vendor_body",
    ),
    DifferenceRow(
        "statistics-queue-port",
        _STATISTICS,
        "Stats Request QUEUE",
        "port_no that does not exist",
        "does nothing",
        "answers queue_op_failed/bad_port",
        "stats-request",
        "port_body",
        (("m1.stats_type", 5), ("m1.body", 0x0009_0000_FFFFFFFF)),
    ),
    DifferenceRow(
        "statistics-queue",
        _STATISTICS,
        "Stats Request QUEUE",
        "queue_id that does not exist",
        "does nothing",
        "answers queue_op_failed/bad_queue",
        "stats-request",
        "port_body",
        (("m1.stats_type", 5), ("m1.body", 0x0001_0000_00000003)),
    ),
    DifferenceRow(
        "emergency",
        _FEATURES,
        "FlowMod",
        "flag EMERG",
        "installs an emergency entry, or refuses one with a timeout",
        "refuses: flow_mod_failed/all_tables_full",
        "flow-mod",
        values=(("m1.flags", 4),),
    ),
    DifferenceRow(
        "packet-out-normal",
        _FEATURES,
        "Packet Out",
        "output port NORMAL",
        "drops the packet",
        "forwards as a bridge does",
        "packet-out",
        "untagged",
        (("m1.actions[1].port", 0xFFFA),),
    ),
    DifferenceRow(
        "flow-mod-normal",
        _FEATURES,
        "FlowMod",
        "output port NORMAL",
        "installs the entry, which drops the packets",
        "installs the entry, which forwards as a bridge does",
        "flow-mod",
        values=(("m1.actions[1].port", 0xFFFA),),
    ),
    *(
        DifferenceRow(name, _ITSELF, message, name, reference, ovs, "self-description", case)
        for name, message, reference, ovs, case in (
            ("capabilities", "Features Request", "has statistics of queues", "has none", "features"),
            ("mfr_desc", "Stats Request DESC", "Stanford University", "Nicira Networks, Inc.", "description"),
            ("hw_desc", "Stats Request DESC", "Reference Userspace Switch", "Open vSwitch", "description"),
            ("dp_desc", "Stats Request DESC", "reference-like", "ovs-like", "description"),
            ("name", "Stats Request TABLE", "linear", "classifier", "tables"),
            ("max_entries", "Stats Request TABLE", "65,536", "1,000,000", "tables"),
        )
    ),
)


def _in_13() -> tuple[DifferenceRow, ...]:
    output, first, large = "m1.actions[2].port", "m1.actions[0]", 256
    applied = "m1.instructions[0].actions[1].port"
    ports = {"large-port": large, "normal": 0xFFFFFFFA}
    inputs = {
        "packet-out-vlan-vid": (("m1.actions[1].vlan_vid", 0x2005),),
        "packet-out-buffer": (("m1.buffer_id", 7),),
        "crash-controller": ((output, 0xFFFFFFFD),),
        "crash-vlan": ((f"{first}.type", 17), (f"{first}.argument", 0x81000000)),
        "order-buffer-port": (("m1.buffer_id", 7), (output, 0xFFFFFFFF)),
        "flow-mod-matched-port": (("m1.match.in_port", 2),),
        "flow-mod-buffer": (("m1.buffer_id", 7),),
        **{f"packet-out-{name}": ((output, port),) for name, port in ports.items()},
        **{f"flow-mod-{name}": ((applied, port),) for name, port in ports.items()},
    }
    return tuple(
        replace(row, test="flow-mod-13" if "flow-mod" in row.name else "packet-out-13", case="test", values=found)
        for row in DIFFERENCES
        if (found := inputs.get(row.name)) is not None
    )


# The differences that OpenFlow 1.3 has too, with inputs of its tests. There a tag is added by PUSH_VLAN.
DIFFERENCES13: Final = _in_13()
