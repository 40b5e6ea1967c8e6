"""OpenFlow messages as values, one set for 1.0 and 1.3 and for both directions; statistics are in `stats.py`."""

from dataclasses import dataclass, field

from sdnloom.network.openflow.actions import Instruction, OpenFlowAction
from sdnloom.network.openflow.constants import (
    NO_BUFFER,
    BandKind,
    BufferId,
    Command,
    GroupId,
    GroupKind,
    GroupModCommand,
    GroupNo,
    InReason,
    MeterModCommand,
    MeterNo,
    Port,
    PortNo,
    RemovedReason,
    RoleNo,
    StatusReason,
)
from sdnloom.network.openflow.match import ANY_PACKET, Match
from sdnloom.network.value import Hex, Mac, Value


@dataclass(frozen=True, slots=True, repr=False)
class OpenFlowMessage(Value):
    """Base of all messages. The version belongs to the connection, not to the message."""

    xid: int = field(default=0, kw_only=True)


@dataclass(frozen=True, slots=True, repr=False)
class Hello(OpenFlowMessage):
    """The first message of a connection. Its body (1.3: elements such as the bitmap of versions) is kept as bytes."""

    body: bytes = b""


@dataclass(frozen=True, slots=True, repr=False)
class Error(OpenFlowMessage):
    """An error. Type and code are the specification's names in lower case, or numbers without a name.

    `Error("bad_action", "bad_out_port", data)`; `errors.py` has all names and their numbers in each version.
    """

    type: str | int
    code: str | int
    data: bytes = b""


@dataclass(frozen=True, slots=True, repr=False)
class EchoRequest(OpenFlowMessage):
    """Asks whether the other end is alive."""

    data: bytes = b""


@dataclass(frozen=True, slots=True, repr=False)
class EchoReply(OpenFlowMessage):
    """The answer to an EchoRequest, with its data."""

    data: bytes = b""


@dataclass(frozen=True, slots=True, repr=False)
class Experimenter(OpenFlowMessage):
    """A vendor's message; `data` are the bytes after the experimenter number."""

    experimenter: Hex
    data: bytes = b""


@dataclass(frozen=True, slots=True, repr=False)
class OpaqueMessage(OpenFlowMessage):
    """A message of a type that the version does not define, kept as bytes."""

    type: int
    body: bytes = b""


@dataclass(frozen=True, slots=True, repr=False)
class PortDesc(Value):
    """A port. The bits of `curr` to `peer` depend on the version; the speeds (kbit/s) exist in 1.3 only."""

    port_no: PortNo
    hw_addr: Mac = 0
    name: str = ""
    config: Hex = 0
    state: Hex = 0
    curr: Hex = 0
    advertised: Hex = 0
    supported: Hex = 0
    peer: Hex = 0
    curr_speed: int = 0
    max_speed: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class FeaturesRequest(OpenFlowMessage):
    """Asks for the features of the switch."""


@dataclass(frozen=True, slots=True, repr=False)
class FeaturesReply(OpenFlowMessage):
    """The features of a switch. `actions` and `ports` exist in 1.0 only, `auxiliary_id` and `reserved` in 1.3 only."""

    datapath_id: Hex
    n_buffers: int = 0
    n_tables: int = 1
    capabilities: Hex = 0
    actions: Hex = 0
    ports: tuple[PortDesc, ...] = ()
    auxiliary_id: int = 0
    reserved: Hex = 0


@dataclass(frozen=True, slots=True, repr=False)
class GetConfigRequest(OpenFlowMessage):
    """Asks for the configuration."""


@dataclass(frozen=True, slots=True, repr=False)
class GetConfigReply(OpenFlowMessage):
    """The configuration."""

    flags: int = 0
    miss_send_len: int = 128


@dataclass(frozen=True, slots=True, repr=False)
class SetConfig(OpenFlowMessage):
    """Changes the configuration."""

    flags: int = 0
    miss_send_len: int = 128


@dataclass(frozen=True, slots=True, repr=False)
class PacketIn(OpenFlowMessage):
    """A packet for the controller. `match` has in_port and, in 1.3, the other pipeline fields."""

    match: Match
    data: bytes = b""
    total_len: int = 0
    reason: InReason = 0
    buffer_id: BufferId = NO_BUFFER
    table_id: int = 0
    cookie: Hex = 0

    @property
    def in_port(self) -> int:
        """The port where the packet arrived."""
        return self.match.exact("in_port") or 0


@dataclass(frozen=True, slots=True, repr=False)
class FlowRemoved(OpenFlowMessage):
    """A flow entry was removed. `table_id` and `hard_timeout` exist in 1.3 only."""

    match: Match
    reason: RemovedReason = 0
    priority: int = 0x8000
    cookie: Hex = 0
    duration_sec: int = 0
    duration_nsec: int = 0
    idle_timeout: int = 0
    hard_timeout: int = 0
    packet_count: int = 0
    byte_count: int = 0
    table_id: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class PortStatus(OpenFlowMessage):
    """A port was added, changed or removed."""

    reason: StatusReason
    desc: PortDesc


@dataclass(frozen=True, slots=True, repr=False)
class PacketOut(OpenFlowMessage):
    """Sends a packet: the buffered one, or `data`."""

    actions: tuple[OpenFlowAction, ...] = ()
    data: bytes = b""
    in_port: PortNo = Port.ANY
    buffer_id: BufferId = NO_BUFFER


@dataclass(frozen=True, slots=True, repr=False)
class FlowMod(OpenFlowMessage):
    """Changes a flow table. `cookie_mask`, `table_id` and `out_group` exist in 1.3 only."""

    match: Match = ANY_PACKET
    command: Command = 0
    instructions: tuple[Instruction, ...] = ()
    priority: int = 0x8000
    idle_timeout: int = 0
    hard_timeout: int = 0
    cookie: Hex = 0
    cookie_mask: Hex = 0
    table_id: int = 0
    buffer_id: BufferId = NO_BUFFER
    out_port: PortNo = Port.ANY
    out_group: GroupNo = GroupId.ANY
    flags: Hex = 0


@dataclass(frozen=True, slots=True, repr=False)
class Bucket(Value):
    """A bucket of a group: a list of actions with its weight and the port or group that it watches."""

    actions: tuple[OpenFlowAction, ...] = ()
    weight: int = 0
    watch_port: PortNo = Port.ANY
    watch_group: GroupNo = GroupId.ANY


@dataclass(frozen=True, slots=True, repr=False)
class GroupMod(OpenFlowMessage):
    """Changes the group table (1.3)."""

    group_id: GroupNo
    command: GroupModCommand = 0
    type: GroupKind = 0
    buckets: tuple[Bucket, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class PortMod(OpenFlowMessage):
    """Changes a port: the bits of `mask` in `config`."""

    port_no: PortNo
    hw_addr: Mac = 0
    config: Hex = 0
    mask: Hex = 0
    advertise: Hex = 0


@dataclass(frozen=True, slots=True, repr=False)
class TableMod(OpenFlowMessage):
    """Configures a table (1.3)."""

    table_id: int
    config: Hex = 0


@dataclass(frozen=True, slots=True, repr=False)
class MeterBand(Value):
    """A band of a meter. `data` are the bytes after the burst size: padding, a precedence level or an experimenter."""

    type: BandKind
    rate: int = 0
    burst_size: int = 0
    data: bytes = bytes(4)


@dataclass(frozen=True, slots=True, repr=False)
class MeterMod(OpenFlowMessage):
    """Changes a meter (1.3)."""

    meter_id: MeterNo
    command: MeterModCommand = 0
    flags: Hex = 0
    bands: tuple[MeterBand, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class BarrierRequest(OpenFlowMessage):
    """Asks the switch to finish all earlier messages."""


@dataclass(frozen=True, slots=True, repr=False)
class BarrierReply(OpenFlowMessage):
    """All messages before the BarrierRequest are finished."""


@dataclass(frozen=True, slots=True, repr=False)
class QueueGetConfigRequest(OpenFlowMessage):
    """Asks for the queues of a port."""

    port: PortNo


@dataclass(frozen=True, slots=True, repr=False)
class QueueProperty(Value):
    """A property of a queue; `data` are the bytes after its 8-byte head (a rate: 2 bytes and padding)."""

    property: int
    data: bytes = b""


@dataclass(frozen=True, slots=True, repr=False)
class PacketQueue(Value):
    """A queue. Its `port` exists in 1.3 only."""

    queue_id: int
    port: PortNo = 0
    properties: tuple[QueueProperty, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class QueueGetConfigReply(OpenFlowMessage):
    """The queues of a port."""

    port: PortNo
    queues: tuple[PacketQueue, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class RoleRequest(OpenFlowMessage):
    """Changes or asks for the controller's role (1.3)."""

    role: RoleNo = 0
    generation_id: Hex = 0


@dataclass(frozen=True, slots=True, repr=False)
class RoleReply(OpenFlowMessage):
    """The controller's role (1.3)."""

    role: RoleNo = 0
    generation_id: Hex = 0


@dataclass(frozen=True, slots=True, repr=False)
class GetAsyncRequest(OpenFlowMessage):
    """Asks which asynchronous messages the controller receives (1.3)."""


@dataclass(frozen=True, slots=True, repr=False)
class GetAsyncReply(OpenFlowMessage):
    """The reasons that are reported, as bits: (to a master or equal, to a slave) for each message (1.3)."""

    packet_in: tuple[int, int] = (0, 0)
    port_status: tuple[int, int] = (0, 0)
    flow_removed: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, repr=False)
class SetAsync(OpenFlowMessage):
    """Chooses the asynchronous messages that the controller receives (1.3); fields as in GetAsyncReply."""

    packet_in: tuple[int, int] = (0, 0)
    port_status: tuple[int, int] = (0, 0)
    flow_removed: tuple[int, int] = (0, 0)
