"""The seven modifications of the reference-like agent, in the spirit of SOFT 5.1.1: corner cases of single messages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True)
class Modification:
    """A change of one behaviour, the message and the field or event by which it shows, and the test that shows it."""

    name: str
    message: str
    field: str
    reference: str
    modified: str
    test: str
    change: tuple[str, Any]  # a field of Behaviours and its value


MODIFICATIONS: Final[Mapping[str, Modification]] = {
    each.name: each
    for each in (
        Modification(
            "hello",
            "Hello",
            "version",
            "sends a Hello of version 1",
            "sends a Hello of version 2",
            "hello",
            ("hello_version", 2),
        ),
        Modification(
            "timeout",
            "FlowMod",
            "idle_timeout",
            "reports the end of an idle time with the reason IDLE_TIMEOUT",
            "reports it with the reason HARD_TIMEOUT",
            "timeouts",
            ("idle_reason", 1),
        ),
        Modification(
            "ingress",
            "Packet Out",
            "in_port",
            "takes a packet with in_port 0",
            "refuses it with bad_action/bad_out_port",
            "packet-out",
            ("refused_in_port", 0),
        ),
        Modification(
            "long-time",
            "FlowMod",
            "hard_timeout",
            "takes any hard_timeout",
            "refuses one above 0x7fff with flow_mod_failed/unsupported",
            "flow-mod",
            ("longest_hard_timeout", 0x7FFF),
        ),
        Modification(
            "miss-length",
            "Set Config",
            "miss_send_len",
            "sends no octets of a packet if miss_send_len is 0",
            "sends 128 octets then",
            "set-config",
            ("sends_nothing_on_request", False),
        ),
        Modification(
            "port-zero",
            "Stats Request PORT",
            "port_no",
            "answers a request for port 0 with no ports",
            "answers with all ports",
            "stats-request",
            ("port_zero_is_all_ports", True),
        ),
        Modification(
            "advertise",
            "Port Mod",
            "advertise",
            "ignores advertise",
            "refuses an advertise that is not 0 with port_mod_failed/bad_port",
            "port-mod",
            ("takes_advertised_features", False),
        ),
    )
}
