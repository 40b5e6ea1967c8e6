"""Switch profiles: how a switch describes itself, and its choices where switches in use differ.

`openvswitch` is Debian's Open vSwitch 3.1 (`tests/network/switch/test_profiles.py` compares them); `reference` is the
switch of the OpenFlow specification, with buffers.
"""

from dataclasses import dataclass
from typing import Literal

ProfileName = Literal["openvswitch", "reference"]


@dataclass(frozen=True)
class SwitchProfile:
    """One kind of switch.

    `local_port`: it has the port LOCAL, which is down. `speed` is that of its other ports in Mbit/s, 0 for unknown, and
    `shows_live` whether a port of 1.3 that works has the state LIVE. `description` are the five texts of a DescReply;
    the last is None for the datapath id. `tables` is the number of tables that it reports in 1.0, `table_names` whether
    they have names, `table_limit` the number of entries that it claims for each. `takes_any_port`: an output to a port
    that does not exist, a PacketOut with an ingress port that does not exist and an enqueue to a queue that does not
    exist are accepted. `has_emergency`: in 1.0 it has emergency entries, and drops all others with its connection.
    `full_mpls`: it copies times to live and sets the bottom-of-stack bit, and a pushed label has the specification's
    values; otherwise those of Open vSwitch. `group_capabilities` are the bits of a GroupFeaturesReply.
    `reports_link_only`: a PortMod is reported only if it takes the port down or up, and the link goes with it.
    `bridge_is_empty`: a switch of fail mode standalone has no entries any more when it has become a bridge.
    """

    buffers: int
    local_port: bool
    speed: int
    shows_live: bool
    description: tuple[str, str, str, str, str | None]
    tables: int
    table_names: bool
    table_limit: int
    takes_any_port: bool
    has_emergency: bool
    full_mpls: bool
    group_capabilities: int
    reports_link_only: bool
    bridge_is_empty: bool


PROFILES: dict[str, SwitchProfile] = {
    "openvswitch": SwitchProfile(
        buffers=0,
        local_port=True,
        speed=10_000,
        shows_live=True,
        description=("Nicira, Inc.", "Open vSwitch", "3.1.0", "None", "None"),
        tables=254,
        table_names=False,
        table_limit=1_000_000,
        takes_any_port=True,
        has_emergency=False,
        full_mpls=False,
        group_capabilities=0b111,
        reports_link_only=True,
        bridge_is_empty=True,
    ),
    "reference": SwitchProfile(
        buffers=256,
        local_port=False,
        speed=0,
        shows_live=False,
        description=("sdnloom", "model", "model", "none", None),
        tables=1,
        table_names=True,
        table_limit=0xFFFFFFFF,
        takes_any_port=False,
        has_emergency=True,
        full_mpls=True,
        group_capabilities=0b100,
        reports_link_only=False,
        bridge_is_empty=False,
    ),
}
