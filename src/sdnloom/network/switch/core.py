"""The state of a switch as one canonical value: states that behave the same for ever are equal."""

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Self

from sdnloom.network.openflow import (
    FlowFlag,
    Instruction,
    Match,
    PacketInReason,
    PortDesc,
    PortReason,
    Role,
    field_order,
)
from sdnloom.network.openflow.messages import Bucket, MeterBand
from sdnloom.network.packet import Packet
from sdnloom.network.switch.config import Switch
from sdnloom.network.value import Hex, Value

EMERGENCY = 0x100  # the table of 1.0's emergency entries; no message can name it
EXACT = 0x10000  # 1.0, 3.4: an entry without wildcards is above every priority


class CachedHash(Value):
    """Base of values that are hashed often: the hash is computed once. It is never pickled (hash seeds differ)."""

    __slots__ = ("_hash",)
    _hash: int

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            number = hash(tuple(getattr(self, each.name) for each in fields(self)))  # type: ignore[arg-type]
            object.__setattr__(self, "_hash", number)
            return number


@dataclass(frozen=True, slots=True, repr=False)
class Traffic(Value):
    """Packet and byte counters of an entry, a bucket or a direction of a port; kept only on request."""

    packets: int = 0
    bytes: int = 0

    def plus(self, size: int) -> Self:
        """Return the counters after one more packet of that size."""
        return type(self)(self.packets + 1, self.bytes + size)


NO_TRAFFIC = Traffic()


@dataclass(frozen=True, slots=True, repr=False)
class FlowEntry(CachedHash):
    """A flow entry. Timers are milliseconds left, None without timeout; `age` and `traffic` are 0 unless counted."""

    table: int
    priority: int
    match: Match
    instructions: tuple[Instruction, ...] = ()
    cookie: Hex = 0
    flags: Hex = 0
    idle_timeout: int = 0
    hard_timeout: int = 0
    idle_left: int | None = None
    hard_left: int | None = None
    age: int = 0
    traffic: Traffic = NO_TRAFFIC

    __hash__ = CachedHash.__hash__

    @property
    def has_idle_timer(self) -> bool:
        """Whether it expires when no packet has matched it for some time."""
        return self.idle_left is not None

    @property
    def has_hard_timer(self) -> bool:
        """Whether it expires some time after it was added."""
        return self.hard_left is not None

    @property
    def timers(self) -> tuple[int, ...]:
        """The milliseconds left of the timers that it has."""
        idle, hard = self.idle_left, self.hard_left
        if idle is None:
            return () if hard is None else (hard,)
        return (idle,) if hard is None else (idle, hard)

    @property
    def key(self) -> tuple[int, int, Match]:
        """The identity of the entry: a table has at most one entry per key."""
        return self.table, self.priority, self.match

    @property
    def order(self) -> tuple[Any, ...]:
        """The sort key: by table, highest priority first, then by match."""
        return self.table, -self.priority, match_order(self.match)

    @property
    def wire_priority(self) -> int:
        """The priority in messages, which have 16 bits for it."""
        return min(self.priority, 0xFFFF)

    @property
    def reports_removal(self) -> bool:
        """Whether its removal is reported to the controller."""
        return bool(self.flags & FlowFlag.SEND_FLOW_REM)


@lru_cache(maxsize=1 << 16)
def match_order(match: Match) -> tuple[Any, ...]:
    """Return a sort key of matches that is the same in every process."""
    return tuple((field_order(name), value, -1 if mask is None else mask) for name, value, mask in match.fields)


@dataclass(frozen=True, slots=True, repr=False)
class GroupEntry(CachedHash):
    """A group. `traffic` has one counter for the group and one per bucket; all 0 unless counted."""

    group_id: int
    type: int
    buckets: tuple[Bucket, ...] = ()
    age: int = 0
    traffic: tuple[Traffic, ...] = ()

    __hash__ = CachedHash.__hash__


@dataclass(frozen=True, slots=True, repr=False)
class MeterEntry(CachedHash):
    """A meter. No rate is modelled, so it drops nothing; `traffic` counts what went through it, 0 unless counted."""

    meter_id: int
    flags: int
    bands: tuple[MeterBand, ...] = ()
    age: int = 0
    traffic: Traffic = NO_TRAFFIC

    __hash__ = CachedHash.__hash__


@dataclass(frozen=True, slots=True, repr=False)
class BufferedPacket(CachedHash):
    """A packet that waits for the controller; `left` is the time left until it is discarded, None for ever."""

    buffer_id: int
    in_port: int
    packet: Packet
    left: int | None = None

    __hash__ = CachedHash.__hash__


@dataclass(frozen=True, slots=True, repr=False)
class Settings(CachedHash):
    """The controller's settings: SetConfig, RoleRequest, SetAsync. Masks are (master or equal, slave)."""

    flags: int = 0
    miss_send_len: int = 128
    role: int = Role.EQUAL
    generation_id: int | None = None
    packet_in: tuple[int, int] = (1 << PacketInReason.NO_MATCH | 1 << PacketInReason.ACTION, 0)
    port_status: tuple[int, int] = (
        1 << PortReason.ADD | 1 << PortReason.DELETE | 1 << PortReason.MODIFY,
        1 << PortReason.ADD | 1 << PortReason.DELETE | 1 << PortReason.MODIFY,
    )
    flow_removed: tuple[int, int] = (0b1111, 0)

    __hash__ = CachedHash.__hash__


@dataclass(frozen=True, slots=True, repr=False)
class Counts(CachedHash):
    """Counters that only statistics show: (port, received, sent) and (table, lookups, matches); kept on request."""

    ports: tuple[tuple[int, Traffic, Traffic], ...] = ()
    tables: tuple[tuple[int, int, int], ...] = ()

    __hash__ = CachedHash.__hash__


NO_COUNTS = Counts()
DEFAULT_SETTINGS = Settings()


@dataclass(frozen=True, slots=True, repr=False)
class SwitchCore(CachedHash):
    """The whole state. Every tuple is sorted; `ports` is None while the ports are as configured.

    `macs` are the addresses that NORMAL has learned: (VLAN, address, port, milliseconds left).
    """

    flows: tuple[FlowEntry, ...] = ()
    groups: tuple[GroupEntry, ...] = ()
    buffers: tuple[BufferedPacket, ...] = ()
    ports: tuple[PortDesc, ...] | None = None
    settings: Settings = DEFAULT_SETTINGS
    macs: tuple[tuple[int, int, int, int], ...] = ()
    connected: bool = True
    counts: Counts = NO_COUNTS
    meters: tuple[MeterEntry, ...] = ()

    __hash__ = CachedHash.__hash__


def initial_switch_core(config: Switch) -> SwitchCore:
    """Return the state of a switch that has just been powered on and is connected to its controller."""
    if config.miss_send_len == DEFAULT_SETTINGS.miss_send_len:
        return SwitchCore()
    return SwitchCore(settings=Settings(miss_send_len=config.miss_send_len))
