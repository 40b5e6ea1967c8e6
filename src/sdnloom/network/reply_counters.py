"""Counters in replies with statistics, by name: `port3.tx_bytes`, `flow1.byte_count`, `table0.lookup_count`.

The environment of a program chooses them; all else in a reply (entries, their number, timeouts) is what the switch
says. Flow entries are numbered in the order of the reply, which is that of the flow table and the same in each replay;
buckets and bands too. Counters that no switch can raise are left out: those of LOCAL, which is down, of tables that are
empty and not the first, and those that an entry's flags switch off.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from sdnloom.network.network import StatisticsAnswer
from sdnloom.network.openflow import (
    AggregateReply,
    AggregateRequest,
    FlowFlag,
    FlowStatsReply,
    FlowStatsRequest,
    GroupStatsReply,
    GroupStatsRequest,
    MeterStatsReply,
    MeterStatsRequest,
    Port,
    PortStatsReply,
    PortStatsRequest,
    QueueStatsReply,
    QueueStatsRequest,
    StatsReply,
    StatsRequest,
    TableStatsReply,
    TableStatsRequest,
)
from sdnloom.network.statistics import COUNTERS

_DURATIONS = ("duration_sec", "duration_nsec")
_TRAFFIC = ("packet_count", "byte_count")
_NANOSECONDS = 10**9
_SEGMENT = re.compile(r"([a-z]+)(0|[1-9]\d{0,9})?", re.ASCII)


class ReplyCounter(NamedTuple):
    """A counter: its name, its size in bits, and its largest value in this reply."""

    name: str
    bits: int
    most: int


class StatisticsKind(NamedTuple):
    """A kind of statistics: its reply, and the counters of each row of it.

    `rows` is the attribute of the reply that has the rows; "" if the reply is the only one. `place` names a row by its
    number, from 1, and is "" for one that counts nothing. `parts` are an attribute of a row with pairs of packets and
    bytes, and the name of such a pair. Durations of `newer` kinds exist since OpenFlow 1.3.
    """

    reply: type[StatsReply]
    request: Callable[[int], StatsRequest]  # for one port, or for the whole switch if that makes no difference
    rows: str
    place: Callable[[int, Any], str]
    counters: tuple[str, ...]
    parts: tuple[str, str] | None = None
    newer: bool = False


KINDS: dict[str, StatisticsKind] = {
    "ports": StatisticsKind(
        PortStatsReply,
        PortStatsRequest,
        "ports",
        lambda number, row: "" if row.port_no == Port.LOCAL else f"port{row.port_no}",
        COUNTERS,
        newer=True,
    ),
    "flows": StatisticsKind(
        FlowStatsReply,
        lambda port: FlowStatsRequest(),
        "flows",
        lambda number, row: f"flow{number}",
        (*_TRAFFIC, *_DURATIONS),
    ),
    "tables": StatisticsKind(
        TableStatsReply,
        lambda port: TableStatsRequest(),
        "tables",
        lambda number, row: f"table{row.table_id}" if row.active_count or not row.table_id else "",
        ("lookup_count", "matched_count"),
    ),
    "queues": StatisticsKind(
        QueueStatsReply,
        lambda port: QueueStatsRequest(),
        "queues",
        lambda number, row: f"port{row.port_no}.queue{row.queue_id}",
        ("tx_bytes", "tx_packets", "tx_errors", *_DURATIONS),
        newer=True,
    ),
    "aggregate": StatisticsKind(
        AggregateReply, lambda port: AggregateRequest(), "", lambda number, row: "aggregate", _TRAFFIC
    ),
    "groups": StatisticsKind(
        GroupStatsReply,
        lambda port: GroupStatsRequest(),
        "groups",
        lambda number, row: f"group{row.group_id}",
        (*_TRAFFIC, *_DURATIONS),
        ("buckets", "bucket"),
    ),
    "meters": StatisticsKind(
        MeterStatsReply,
        lambda port: MeterStatsRequest(),
        "meters",
        lambda number, row: f"meter{row.meter_id}",
        ("packet_in_count", "byte_in_count", *_DURATIONS),
        ("bands", "band"),
    ),
}
_BY_REPLY = {kind.reply: kind for kind in KINDS.values()}
# Words of a name without its numbers and its counter -> the counters.
_COUNTERS: dict[str, tuple[str, ...]] = {
    **{name.removesuffix("s"): KINDS[name].counters for name in KINDS if name != "queues"},
    "port.queue": KINDS["queues"].counters,
    "group.bucket": _TRAFFIC,
    "meter.band": _TRAFFIC,
}
_WORDS = {*_COUNTERS, "queue"}


def kind_of(reply: StatsReply) -> StatisticsKind | None:
    """Return the kind of a reply; None if it has no counters."""
    return _BY_REPLY.get(type(reply))


def reply_counters(reply: StatsReply, version: str) -> tuple[ReplyCounter, ...]:
    """Return the counters of a reply that a switch of this OpenFlow version could raise, in the order of its rows."""
    kind = _BY_REPLY[type(reply)]
    missing = _DURATIONS if kind.newer and version == "1.0" else ()
    found = list[ReplyCounter]()
    for place, row in _rows(kind, reply):
        if place:
            kept = [name for name in kind.counters if name not in missing and not _is_off(row, name)]
            found += [ReplyCounter(f"{place}.{name}", counter_bits(name), _most(row, name)) for name in kept]
        for part, _ in _parts(kind, place, row):
            found += [ReplyCounter(f"{part}.{name}", 64, 2**64 - 1) for name in _TRAFFIC]
    return tuple(found)


def with_counters(reply: StatsReply, values: Mapping[str, int]) -> StatsReply:
    """Return the reply with these values of its counters; the others are 0."""
    kind = _BY_REPLY[type(reply)]
    rows = []
    for place, row in _rows(kind, reply):
        given: dict[str, Any] = {name: values.get(f"{place}.{name}", 0) for name in kind.counters}
        if kind.parts is not None:
            parts = [part for part, _ in _parts(kind, place, row)]
            given[kind.parts[0]] = tuple(tuple(values.get(f"{part}.{name}", 0) for name in _TRAFFIC) for part in parts)
        rows.append(replace(row, **given))
    whole: dict[str, Any] = {kind.rows: tuple(rows)}
    return replace(reply, **whole) if kind.rows else rows[0]


def answered(reply: StatsReply, answer: StatisticsAnswer) -> StatsReply:
    """Return the reply with the counters of an answer."""
    return with_counters(reply, dict(answer))


def _rows(kind: StatisticsKind, reply: StatsReply) -> Iterator[tuple[str, Any]]:
    rows: Iterable[Any] = getattr(reply, kind.rows) if kind.rows else (reply,)
    for number, row in enumerate(rows, 1):
        yield kind.place(number, row), row


def _parts(kind: StatisticsKind, place: str, row: Any) -> Iterator[tuple[str, Any]]:
    if kind.parts is not None:
        for number, pair in enumerate(getattr(row, kind.parts[0]), 1):
            yield f"{place}.{kind.parts[1]}{number}", pair


def _is_off(row: Any, name: str) -> bool:
    """Whether the flags of a flow entry switch a counter off."""
    off = {"packet_count": FlowFlag.NO_PKT_COUNTS, "byte_count": FlowFlag.NO_BYT_COUNTS}.get(name, 0)
    return bool(getattr(row, "entry_flags", 0) & off)


def _most(row: Any, name: str) -> int:
    """The largest value: nanoseconds are less than a second, and no entry is older than its hard timeout."""
    timeout: int = getattr(row, "hard_timeout", 0) if name == "duration_sec" else 0
    return timeout or counter_limit(name)


def counter_bits(name: str) -> int:
    """Return the size of a counter, which its name without the row tells."""
    return 32 if name.rpartition(".")[2] in _DURATIONS else 64


def counter_limit(name: str) -> int:
    """Return the largest value that a counter can have in any reply."""
    nanoseconds = name.rpartition(".")[2] == "duration_nsec"
    return _NANOSECONDS - 1 if nanoseconds else (1 << counter_bits(name)) - 1


def is_counter(name: str) -> bool:
    """Whether the name of a field is meant as a counter."""
    match = _SEGMENT.match(name)
    return match is not None and match[1] in _WORDS


def counters_like(name: str) -> tuple[str, ...] | None:
    """Return the counters that a name of this form can have: `port3.` or, for every port, `port.`; None if none can."""
    place, _, _ = name.rpartition(".")
    segments = [_SEGMENT.fullmatch(each) for each in place.split(".")]
    words = ".".join(each[1] if each else "" for each in segments)
    numbers = {each[2] is not None for each in segments if each}
    zeros = any(each and each[2] == "0" and each[1] in ("port", "flow", "bucket", "band", "meter") for each in segments)
    if words not in _COUNTERS or len(numbers) != 1 or zeros or (words == "aggregate" and True in numbers):
        return None
    return _COUNTERS[words]


def of_every_row(name: str) -> str:
    """Return the name of a counter without the numbers of its row: `port.tx_bytes` for `port3.tx_bytes`."""
    place, dot, counter = name.rpartition(".")
    return re.sub(r"\d+", "", place) + dot + counter
