"""Statistics (1.0) and multipart (1.3) messages as values: a pair of request and reply for each kind."""

from dataclasses import dataclass, field

from sdnloom.network.openflow.actions import Instruction
from sdnloom.network.openflow.constants import (
    ALL_QUEUES,
    ALL_TABLES,
    GroupId,
    GroupKind,
    GroupNo,
    MeterId,
    MeterNo,
    Port,
    PortNo,
)
from sdnloom.network.openflow.match import ANY_PACKET, Match
from sdnloom.network.openflow.messages import Bucket, MeterBand, OpenFlowMessage, PortDesc
from sdnloom.network.value import Hex, Value


@dataclass(frozen=True, slots=True, repr=False)
class StatsRequest(OpenFlowMessage):
    """Base of requests for statistics. Bit 0 of `flags`: another part follows."""

    flags: int = field(default=0, kw_only=True)


@dataclass(frozen=True, slots=True, repr=False)
class StatsReply(OpenFlowMessage):
    """Base of replies with statistics. Bit 0 of `flags`: another part follows."""

    flags: int = field(default=0, kw_only=True)


@dataclass(frozen=True, slots=True, repr=False)
class DescRequest(StatsRequest):
    """Asks for the description of the switch."""


@dataclass(frozen=True, slots=True, repr=False)
class DescReply(StatsReply):
    """The description of the switch."""

    mfr_desc: str = ""
    hw_desc: str = ""
    sw_desc: str = ""
    serial_num: str = ""
    dp_desc: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class FlowStatsRequest(StatsRequest):
    """Asks for flow entries. `out_group`, `cookie` and `cookie_mask` exist in 1.3 only."""

    match: Match = ANY_PACKET
    table_id: int = ALL_TABLES
    out_port: PortNo = Port.ANY
    out_group: GroupNo = GroupId.ANY
    cookie: Hex = 0
    cookie_mask: Hex = 0


@dataclass(frozen=True, slots=True, repr=False)
class FlowStats(Value):
    """A flow entry and its counters. `entry_flags` exists in 1.3 only."""

    match: Match = ANY_PACKET
    instructions: tuple[Instruction, ...] = ()
    table_id: int = 0
    priority: int = 0x8000
    cookie: Hex = 0
    duration_sec: int = 0
    duration_nsec: int = 0
    idle_timeout: int = 0
    hard_timeout: int = 0
    packet_count: int = 0
    byte_count: int = 0
    entry_flags: Hex = 0


@dataclass(frozen=True, slots=True, repr=False)
class FlowStatsReply(StatsReply):
    """Flow entries."""

    flows: tuple[FlowStats, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class AggregateRequest(StatsRequest):
    """Asks for sums over flow entries; fields as in FlowStatsRequest."""

    match: Match = ANY_PACKET
    table_id: int = ALL_TABLES
    out_port: PortNo = Port.ANY
    out_group: GroupNo = GroupId.ANY
    cookie: Hex = 0
    cookie_mask: Hex = 0


@dataclass(frozen=True, slots=True, repr=False)
class AggregateReply(StatsReply):
    """Sums over flow entries."""

    packet_count: int = 0
    byte_count: int = 0
    flow_count: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class TableStatsRequest(StatsRequest):
    """Asks for the tables."""


@dataclass(frozen=True, slots=True, repr=False)
class TableStats(Value):
    """A table and its counters. `name`, `wildcards` and `max_entries` exist in 1.0 only."""

    table_id: int
    name: str = ""
    wildcards: Hex = 0
    max_entries: int = 0
    active_count: int = 0
    lookup_count: int = 0
    matched_count: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class TableStatsReply(StatsReply):
    """The tables."""

    tables: tuple[TableStats, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class PortStatsRequest(StatsRequest):
    """Asks for the counters of one port or of all ports."""

    port_no: PortNo = Port.ANY


@dataclass(frozen=True, slots=True, repr=False)
class PortStats(Value):
    """Counters of a port. The duration exists in 1.3 only."""

    port_no: PortNo
    rx_packets: int = 0
    tx_packets: int = 0
    rx_bytes: int = 0
    tx_bytes: int = 0
    rx_dropped: int = 0
    tx_dropped: int = 0
    rx_errors: int = 0
    tx_errors: int = 0
    rx_frame_err: int = 0
    rx_over_err: int = 0
    rx_crc_err: int = 0
    collisions: int = 0
    duration_sec: int = 0
    duration_nsec: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class PortStatsReply(StatsReply):
    """Counters of ports."""

    ports: tuple[PortStats, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class QueueStatsRequest(StatsRequest):
    """Asks for the counters of queues."""

    port_no: PortNo = Port.ANY
    queue_id: Hex = ALL_QUEUES


@dataclass(frozen=True, slots=True, repr=False)
class QueueStats(Value):
    """Counters of a queue. The duration exists in 1.3 only."""

    port_no: PortNo
    queue_id: int
    tx_bytes: int = 0
    tx_packets: int = 0
    tx_errors: int = 0
    duration_sec: int = 0
    duration_nsec: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class QueueStatsReply(StatsReply):
    """Counters of queues."""

    queues: tuple[QueueStats, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class GroupStatsRequest(StatsRequest):
    """Asks for the counters of groups (1.3)."""

    group_id: GroupNo = GroupId.ALL


@dataclass(frozen=True, slots=True, repr=False)
class GroupStats(Value):
    """Counters of a group; `buckets` are (packets, bytes) of each bucket."""

    group_id: GroupNo
    ref_count: int = 0
    packet_count: int = 0
    byte_count: int = 0
    duration_sec: int = 0
    duration_nsec: int = 0
    buckets: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class GroupStatsReply(StatsReply):
    """Counters of groups (1.3)."""

    groups: tuple[GroupStats, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class GroupDescRequest(StatsRequest):
    """Asks for the groups (1.3)."""


@dataclass(frozen=True, slots=True, repr=False)
class GroupDesc(Value):
    """The description of a group."""

    group_id: GroupNo
    type: GroupKind = 0
    buckets: tuple[Bucket, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class GroupDescReply(StatsReply):
    """The groups (1.3)."""

    groups: tuple[GroupDesc, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class GroupFeaturesRequest(StatsRequest):
    """Asks for the features of groups (1.3)."""


@dataclass(frozen=True, slots=True, repr=False)
class GroupFeaturesReply(StatsReply):
    """The features of groups (1.3); `max_groups` and `actions` have one number per group type."""

    types: Hex = 0
    capabilities: Hex = 0
    max_groups: tuple[int, ...] = (0, 0, 0, 0)
    actions: tuple[int, ...] = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True, repr=False)
class MeterStatsRequest(StatsRequest):
    """Asks for the counters of meters (1.3)."""

    meter_id: MeterNo = MeterId.ALL


@dataclass(frozen=True, slots=True, repr=False)
class MeterStats(Value):
    """Counters of a meter; `bands` are (packets, bytes) that each band dropped or changed."""

    meter_id: MeterNo
    flow_count: int = 0
    packet_in_count: int = 0
    byte_in_count: int = 0
    duration_sec: int = 0
    duration_nsec: int = 0
    bands: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class MeterStatsReply(StatsReply):
    """Counters of meters (1.3)."""

    meters: tuple[MeterStats, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class MeterConfigRequest(StatsRequest):
    """Asks for meters (1.3)."""

    meter_id: MeterNo = MeterId.ALL


@dataclass(frozen=True, slots=True, repr=False)
class MeterConfig(Value):
    """The configuration of a meter. Its `flags` are those of a MeterMod."""

    meter_id: MeterNo
    flags: Hex = 0
    bands: tuple[MeterBand, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class MeterConfigReply(StatsReply):
    """Meters (1.3)."""

    meters: tuple[MeterConfig, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class MeterFeaturesRequest(StatsRequest):
    """Asks for the features of meters (1.3)."""


@dataclass(frozen=True, slots=True, repr=False)
class MeterFeaturesReply(StatsReply):
    """The features of meters (1.3); `band_types` has a bit for each type, `capabilities` those of `MeterFlag`."""

    max_meter: int = 0
    band_types: Hex = 0
    capabilities: Hex = 0
    max_bands: int = 0
    max_color: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class PortDescRequest(StatsRequest):
    """Asks for the ports (1.3; in 1.0 FeaturesReply has them)."""


@dataclass(frozen=True, slots=True, repr=False)
class PortDescReply(StatsReply):
    """The ports (1.3)."""

    ports: tuple[PortDesc, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class ExperimenterStatsRequest(StatsRequest):
    """A vendor's request; `data` are the bytes after the experimenter number."""

    experimenter: Hex
    data: bytes = b""


@dataclass(frozen=True, slots=True, repr=False)
class ExperimenterStatsReply(StatsReply):
    """A vendor's reply; `data` are the bytes after the experimenter number."""

    experimenter: Hex
    data: bytes = b""


@dataclass(frozen=True, slots=True, repr=False)
class OpaqueStatsRequest(StatsRequest):
    """A request that is kept as bytes: table features, and types that the version does not define."""

    stats_type: int
    body: bytes = b""


@dataclass(frozen=True, slots=True, repr=False)
class OpaqueStatsReply(StatsReply):
    """A reply that is kept as bytes: table features, and types that the version does not define."""

    stats_type: int
    body: bytes = b""
