"""Constants of OpenFlow under one set of names; where 1.0 and 1.3 differ, these are 1.3's and the codec translates."""

from enum import IntEnum, IntFlag
from typing import Annotated, Literal

from sdnloom.network.value import Show, hexadecimal

V10 = 0x01
V13 = 0x04
VersionName = Literal["1.0", "1.3"]
# The one table of supported versions: name -> number in the header of a message.
VERSION_NUMBERS: dict[str, int] = {"1.0": V10, "1.3": V13}
VERSIONS = tuple(VERSION_NUMBERS.values())


def version_name(version: int) -> str:
    """Return the name of a version by its number on the wire: 1.3 for 4."""
    return next((name for name, number in VERSION_NUMBERS.items() if number == version), f"version {version}")


NO_BUFFER = 0xFFFFFFFF
NO_TRUNCATION = 0xFFFF  # max_len of an output to the controller: send the whole packet (1.3: and do not buffer it)
ALL_TABLES = 0xFF
ALL_QUEUES = 0xFFFFFFFF

VLAN_PRESENT = 0x1000  # bit of the field vlan_vid; a match on 0 means "no tag", as in 1.3


class Port(IntEnum):
    """Reserved ports. 1.0 writes their low 16 bits; ANY is 1.0's NONE."""

    MAX = 0xFFFFFF00
    IN_PORT = 0xFFFFFFF8
    TABLE = 0xFFFFFFF9
    NORMAL = 0xFFFFFFFA
    FLOOD = 0xFFFFFFFB
    ALL = 0xFFFFFFFC
    CONTROLLER = 0xFFFFFFFD
    LOCAL = 0xFFFFFFFE
    ANY = 0xFFFFFFFF


class GroupId(IntEnum):
    """Reserved group numbers."""

    MAX = 0xFFFFFF00
    ALL = 0xFFFFFFFC
    ANY = 0xFFFFFFFF


class FlowCommand(IntEnum):
    """Commands of a FlowMod."""

    ADD = 0
    MODIFY = 1
    MODIFY_STRICT = 2
    DELETE = 3
    DELETE_STRICT = 4


class FlowFlag(IntFlag):
    """Bits of `FlowMod.flags`. EMERG exists in 1.0 only, the last three in 1.3 only."""

    SEND_FLOW_REM = 1 << 0
    CHECK_OVERLAP = 1 << 1
    RESET_COUNTS = 1 << 2
    NO_PKT_COUNTS = 1 << 3
    NO_BYT_COUNTS = 1 << 4
    EMERG = 1 << 16  # 1.0 writes bit 2, which 1.3 gave to RESET_COUNTS


class GroupCommand(IntEnum):
    """Commands of a GroupMod."""

    ADD = 0
    MODIFY = 1
    DELETE = 2


class GroupType(IntEnum):
    """Types of groups, which decide how a group chooses among its buckets."""

    ALL = 0
    SELECT = 1
    INDIRECT = 2
    FAST_FAILOVER = 3


class MeterId(IntEnum):
    """Reserved meter numbers; 0 is no meter."""

    MAX = 0xFFFF0000
    SLOWPATH = 0xFFFFFFFD
    CONTROLLER = 0xFFFFFFFE
    ALL = 0xFFFFFFFF


class MeterCommand(IntEnum):
    """Commands of a MeterMod."""

    ADD = 0
    MODIFY = 1
    DELETE = 2


class MeterFlag(IntFlag):
    """Bits of `MeterMod.flags`: the unit of rates, and what bands have."""

    KBPS = 1 << 0
    PKTPS = 1 << 1
    BURST = 1 << 2
    STATS = 1 << 3


class BandType(IntEnum):
    """Types of meter bands."""

    DROP = 1
    DSCP_REMARK = 2
    EXPERIMENTER = 0xFFFF


class PacketInReason(IntEnum):
    """Reasons for sending a packet to the controller. 1.0 has the first two."""

    NO_MATCH = 0
    ACTION = 1
    INVALID_TTL = 2


class FlowRemovedReason(IntEnum):
    """Reasons for the removal of a flow entry."""

    IDLE_TIMEOUT = 0
    HARD_TIMEOUT = 1
    DELETE = 2
    GROUP_DELETE = 3


class PortReason(IntEnum):
    """Reasons of a PortStatus: the port was added, removed or changed."""

    ADD = 0
    DELETE = 1
    MODIFY = 2


class PortConfig(IntFlag):
    """Bits of `PortDesc.config` and `PortMod.config`. 1.3 lacks NO_STP, NO_RECV_STP and NO_FLOOD."""

    PORT_DOWN = 1 << 0
    NO_STP = 1 << 1
    NO_RECV = 1 << 2
    NO_RECV_STP = 1 << 3
    NO_FLOOD = 1 << 4
    NO_FWD = 1 << 5
    NO_PACKET_IN = 1 << 6


class PortState(IntFlag):
    """Bits of `PortDesc.state`. BLOCKED and LIVE exist in 1.3 only."""

    LINK_DOWN = 1 << 0
    BLOCKED = 1 << 1
    LIVE = 1 << 2


class SwitchCapability(IntFlag):
    """Bits of `FeaturesReply.capabilities`. STP, ARP_MATCH_IP: 1.0 only; GROUP_STATS shares STP's bit in 1.3."""

    FLOW_STATS = 1 << 0
    TABLE_STATS = 1 << 1
    PORT_STATS = 1 << 2
    GROUP_STATS = 1 << 3
    STP = 1 << 3
    IP_REASM = 1 << 5
    QUEUE_STATS = 1 << 6
    ARP_MATCH_IP = 1 << 7
    PORT_BLOCKED = 1 << 8


class ConfigFlag(IntFlag):
    """Values of `SetConfig.flags`: the handling of IP fragments."""

    FRAG_NORMAL = 0
    FRAG_DROP = 1
    FRAG_REASM = 2


class Role(IntEnum):
    """Roles of a controller."""

    NOCHANGE = 0
    EQUAL = 1
    MASTER = 2
    SLAVE = 3


def _named(names: type[IntEnum]) -> Show:
    known = {int(member): f"{names.__name__}.{member.name}" for member in names}
    return Show(64, lambda number: known.get(number) or hexadecimal(number))


PortNo = Annotated[int, _named(Port)]
GroupNo = Annotated[int, _named(GroupId)]
BufferId = Annotated[int, Show(32, lambda number: "NO_BUFFER" if number == NO_BUFFER else str(number))]
Command = Annotated[int, _named(FlowCommand)]
GroupModCommand = Annotated[int, _named(GroupCommand)]
GroupKind = Annotated[int, _named(GroupType)]
MeterNo = Annotated[int, _named(MeterId)]
MeterModCommand = Annotated[int, _named(MeterCommand)]
BandKind = Annotated[int, _named(BandType)]
InReason = Annotated[int, _named(PacketInReason)]
RemovedReason = Annotated[int, _named(FlowRemovedReason)]
StatusReason = Annotated[int, _named(PortReason)]
RoleNo = Annotated[int, _named(Role)]
