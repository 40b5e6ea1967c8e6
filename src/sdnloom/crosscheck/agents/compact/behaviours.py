"""What an agent does where switches of 2012 differed: one value for each agent.

The choices are those that SOFT (section 5.1.2) documents for the Reference Switch and Open vSwitch 1.0.0, and what a
switch says of itself. The last group is for modified agents (SOFT, section 5.1.1) and has the same value in all others.
"""

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True)
class Behaviours:
    """The choices of one agent.

    A bad value is a VLAN id of more than 12 bits, a priority of more than 3, or a DSCP with one of its two low bits.
    """

    # values of actions
    bad_values_in_packet_out: Literal["mask", "drop"] = "mask"
    bad_values_in_flow_mod: Literal["mask", "refuse"] = "mask"
    # ports
    largest_port: int | None = None  # an output to a larger one that is not reserved is refused
    refuses_matched_port: bool = True  # an entry may not send packets back to the port that its match names
    # buffers
    buffers: int = 256
    reports_unknown_buffer: bool = False
    buffer_before_ports: bool = False  # a Packet Out's buffer is looked for before its ports are checked
    # crashes
    crashes_on_packet_to_controller: bool = True
    crashes_on_new_tag: bool = True
    crashes_on_queues_of_port_zero: bool = True
    # statistics
    reports_bad_statistics: bool = False
    # features
    has_emergency_entries: bool = True
    has_normal: bool = False
    # what it says of itself
    description: tuple[str, str, str, str, str] = (
        "Stanford University", "Reference Userspace Switch", "1.0.0", "None", "reference-like"
    )  # fmt: skip
    capabilities: int = 0xC7
    table_name: str = "linear"
    table_size: int = 65536
    # modifications
    hello_version: int | None = None  # other than the version that it speaks
    refused_in_port: int | None = None  # of a Packet Out
    longest_hard_timeout: int = 0xFFFF
    sends_nothing_on_request: bool = True  # with a miss_send_len of 0
    port_zero_is_all_ports: bool = False  # in a request for port statistics
    takes_advertised_features: bool = True  # of a Port Mod
    idle_reason: int = 0  # in a Flow Removed


REFERENCE_LIKE: Final = Behaviours()
OVS_LIKE: Final = Behaviours(
    bad_values_in_packet_out="drop",
    bad_values_in_flow_mod="refuse",
    largest_port=255,
    refuses_matched_port=False,
    reports_unknown_buffer=True,
    buffer_before_ports=True,
    crashes_on_packet_to_controller=False,
    crashes_on_new_tag=False,
    crashes_on_queues_of_port_zero=False,
    reports_bad_statistics=True,
    has_emergency_entries=False,
    has_normal=True,
    description=("Nicira Networks, Inc.", "Open vSwitch", "1.0.0", "None", "ovs-like"),
    capabilities=0x87,
    table_name="classifier",
    table_size=1_000_000,
)
