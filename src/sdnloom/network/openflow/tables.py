"""The messages of both versions: type number, value class, layout, and the parts after the layout."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from sdnloom.network.openflow import match13, messages, stats
from sdnloom.network.openflow.action_codec import ACTIONS10, ACTIONS13, INSTRUCTIONS, Entry10
from sdnloom.network.openflow.constants import V10, V13
from sdnloom.network.openflow.errors import error_names, error_numbers
from sdnloom.network.openflow.layouts import STRUCTS
from sdnloom.network.openflow.match import Match
from sdnloom.network.openflow.records import Codec, Many, Record, RecordPart, Rest

STATS_REQUEST = {V10: 16, V13: 18}
STATS_REPLY = {V10: 17, V13: 19}


class Match13:
    """A 1.3 match, with the extra padding of a packet-in."""

    def __init__(self, pad: int = 0) -> None:
        self.pad = pad

    def read(self, data: bytes, at: int, end: int) -> tuple[Match, int]:
        match, at = match13.read_match13(data, at, end - self.pad)
        return match, at + self.pad

    def write(self, value: Match) -> bytes:
        return match13.write_match13(value) + bytes(self.pad)


def _build_error(version: int, type: int, code: int, data: bytes, xid: int) -> messages.Error:  # noqa: A002
    return messages.Error(*error_names(version, type, code), data, xid=xid)


def _view_error(version: int, error: messages.Error) -> Mapping[str, Any]:
    numbers = error_numbers(version, error.type, error.code)
    return {"type": numbers[0], "code": numbers[1], "data": error.data}


def _error(version: int) -> Record:
    struct = STRUCTS[version]["error"]
    data = RecordPart("data", Rest())
    return Record(partial(_build_error, version), struct, data, view=partial(_view_error, version))


def _record(version: int, kind: type[Any], struct: str, *parts: RecordPart, **options: Any) -> Record:
    return Record(kind, STRUCTS[version][struct], *parts, **options)


def _each(name: str, element: Codec) -> RecordPart:
    return RecordPart(name, Many(element))


_DATA = RecordPart("data", Rest())
_MATCH13 = RecordPart("match", Match13(), unit=8)
_PORT = {version: _record(version, messages.PortDesc, "port") for version in (V10, V13)}
_PROPERTY = {
    version: _record(version, messages.QueueProperty, "queue_property", _DATA, length="len") for version in (V10, V13)
}
_QUEUE = {
    version: _record(version, messages.PacketQueue, "queue", _each("properties", _PROPERTY[version]), length="len")
    for version in (V10, V13)
}
_ENTRY10 = RecordPart("instructions", Entry10(), unit=8)
_ENTRY13 = _each("instructions", INSTRUCTIONS)
_BUCKET = _record(
    V13,
    messages.Bucket,
    "bucket",
    RecordPart("actions", Many(ACTIONS13), unit=8),
    length="len",
    fault=("group_mod_failed", "bad_bucket"),
)
_BAND = _record(V13, messages.MeterBand, "meter_band", _DATA, length="len")


def _both(version: int) -> dict[type[messages.OpenFlowMessage], tuple[int, Record]]:
    """Return the messages that both versions have; only type numbers and layouts differ."""
    record = partial(_record, version)
    config_codes = {V10: (20, 21, 18, 19), V13: (22, 23, 20, 21)}[version]
    return {
        messages.Hello: (0, record(messages.Hello, "empty", RecordPart("body", Rest()))),
        messages.Error: (1, _error(version)),
        messages.EchoRequest: (2, record(messages.EchoRequest, "empty", _DATA)),
        messages.EchoReply: (3, record(messages.EchoReply, "empty", _DATA)),
        messages.Experimenter: (4, record(messages.Experimenter, "experimenter", _DATA)),
        messages.FeaturesRequest: (5, record(messages.FeaturesRequest, "empty")),
        messages.GetConfigRequest: (7, record(messages.GetConfigRequest, "empty")),
        messages.GetConfigReply: (8, record(messages.GetConfigReply, "switch_config")),
        messages.SetConfig: (9, record(messages.SetConfig, "switch_config")),
        messages.PortStatus: (12, record(messages.PortStatus, "port_status", RecordPart("desc", _PORT[version]))),
        messages.QueueGetConfigRequest: (
            config_codes[0],
            record(messages.QueueGetConfigRequest, "queue_config_request"),
        ),
        messages.QueueGetConfigReply: (
            config_codes[1],
            record(messages.QueueGetConfigReply, "queue_config_reply", _each("queues", _QUEUE[version])),
        ),
        messages.BarrierRequest: (config_codes[2], record(messages.BarrierRequest, "empty")),
        messages.BarrierReply: (config_codes[3], record(messages.BarrierReply, "empty")),
    }


_v10, _v13 = partial(_record, V10), partial(_record, V13)

MESSAGES: dict[int, dict[type[messages.OpenFlowMessage], tuple[int, Record]]] = {
    V10: {
        **_both(V10),
        messages.FeaturesReply: (6, _v10(messages.FeaturesReply, "features_reply", _each("ports", _PORT[V10]))),
        messages.PacketIn: (10, _v10(messages.PacketIn, "packet_in", _DATA)),
        messages.FlowRemoved: (11, _v10(messages.FlowRemoved, "flow_removed")),
        messages.PacketOut: (
            13,
            _v10(
                messages.PacketOut, "packet_out", RecordPart("actions", Many(ACTIONS10), "actions_len", unit=8), _DATA
            ),
        ),
        messages.FlowMod: (14, _v10(messages.FlowMod, "flow_mod", _ENTRY10)),
        messages.PortMod: (15, _v10(messages.PortMod, "port_mod")),
    },
    V13: {
        **_both(V13),
        messages.FeaturesReply: (6, _v13(messages.FeaturesReply, "features_reply")),
        messages.PacketIn: (10, _v13(messages.PacketIn, "packet_in", RecordPart("match", Match13(pad=2)), _DATA)),
        messages.FlowRemoved: (11, _v13(messages.FlowRemoved, "flow_removed", _MATCH13)),
        messages.PacketOut: (
            13,
            _v13(
                messages.PacketOut, "packet_out", RecordPart("actions", Many(ACTIONS13), "actions_len", unit=8), _DATA
            ),
        ),
        messages.FlowMod: (14, _v13(messages.FlowMod, "flow_mod", _MATCH13, _ENTRY13)),
        messages.GroupMod: (15, _v13(messages.GroupMod, "group_mod", RecordPart("buckets", Many(_BUCKET), unit=8))),
        messages.PortMod: (16, _v13(messages.PortMod, "port_mod")),
        messages.TableMod: (17, _v13(messages.TableMod, "table_mod")),
        messages.RoleRequest: (24, _v13(messages.RoleRequest, "role")),
        messages.RoleReply: (25, _v13(messages.RoleReply, "role")),
        messages.GetAsyncRequest: (26, _v13(messages.GetAsyncRequest, "empty")),
        messages.GetAsyncReply: (27, _v13(messages.GetAsyncReply, "async")),
        messages.SetAsync: (28, _v13(messages.SetAsync, "async")),
        messages.MeterMod: (29, _v13(messages.MeterMod, "meter_mod", _each("bands", _BAND))),
    },
}


def _counter(packet_count: int, byte_count: int) -> tuple[int, int]:
    return packet_count, byte_count


def _view_counter(pair: tuple[int, int]) -> Mapping[str, int]:
    return {"packet_count": pair[0], "byte_count": pair[1]}


_COUNTER = Record(_counter, STRUCTS[V13]["bucket_counter"], view=_view_counter)
_FLOW_STATS = {
    V10: _v10(stats.FlowStats, "flow_stats", _ENTRY10, length="length"),
    V13: _v13(stats.FlowStats, "flow_stats", _MATCH13, _ENTRY13, length="length"),
}
_GROUP_STATS = _v13(stats.GroupStats, "group_stats", _each("buckets", _COUNTER), length="length")
_METER_STATS = _v13(stats.MeterStats, "meter_stats", _each("bands", _COUNTER), length="len")
_METER_CONFIG = _v13(stats.MeterConfig, "meter_config", _each("bands", _BAND), length="length")
_GROUP_DESC = _v13(stats.GroupDesc, "group_desc", _each("buckets", _BUCKET), length="length")


def _stats(version: int) -> dict[int, tuple[Record, Record]]:
    """Return the statistics of a version: type -> (request, reply)."""

    def record(code: int, kind: type[Any], struct: str, *parts: RecordPart) -> Record:
        return _record(version, kind, struct, *parts, constants={"stats_type": code})

    request_match = (_MATCH13,) if version == V13 else ()

    def listing(name: str, kind: type[Any], struct: str) -> RecordPart:
        return _each(name, _record(version, kind, struct))

    table: dict[int, tuple[Record, Record]] = {
        0: (record(0, stats.DescRequest, "stats"), record(0, stats.DescReply, "desc_reply")),
        1: (
            record(1, stats.FlowStatsRequest, "flow_stats_request", *request_match),
            record(1, stats.FlowStatsReply, "stats", _each("flows", _FLOW_STATS[version])),
        ),
        2: (
            record(2, stats.AggregateRequest, "flow_stats_request", *request_match),
            record(2, stats.AggregateReply, "aggregate_reply"),
        ),
        3: (
            record(3, stats.TableStatsRequest, "stats"),
            record(3, stats.TableStatsReply, "stats", listing("tables", stats.TableStats, "table_stats")),
        ),
        4: (
            record(4, stats.PortStatsRequest, "port_stats_request"),
            record(4, stats.PortStatsReply, "stats", listing("ports", stats.PortStats, "port_stats")),
        ),
        5: (
            record(5, stats.QueueStatsRequest, "queue_stats_request"),
            record(5, stats.QueueStatsReply, "stats", listing("queues", stats.QueueStats, "queue_stats")),
        ),
        0xFFFF: (
            record(0xFFFF, stats.ExperimenterStatsRequest, "experimenter_stats", _DATA),
            record(0xFFFF, stats.ExperimenterStatsReply, "experimenter_stats", _DATA),
        ),
    }
    if version == V13:
        table |= {
            6: (
                record(6, stats.GroupStatsRequest, "group_stats_request"),
                record(6, stats.GroupStatsReply, "stats", _each("groups", _GROUP_STATS)),
            ),
            7: (
                record(7, stats.GroupDescRequest, "stats"),
                record(7, stats.GroupDescReply, "stats", _each("groups", _GROUP_DESC)),
            ),
            8: (
                record(8, stats.GroupFeaturesRequest, "stats"),
                record(8, stats.GroupFeaturesReply, "group_features_reply"),
            ),
            9: (
                record(9, stats.MeterStatsRequest, "meter_request"),
                record(9, stats.MeterStatsReply, "stats", _each("meters", _METER_STATS)),
            ),
            10: (
                record(10, stats.MeterConfigRequest, "meter_request"),
                record(10, stats.MeterConfigReply, "stats", _each("meters", _METER_CONFIG)),
            ),
            11: (
                record(11, stats.MeterFeaturesRequest, "stats"),
                record(11, stats.MeterFeaturesReply, "meter_features_reply"),
            ),
            13: (
                record(13, stats.PortDescRequest, "stats"),
                record(13, stats.PortDescReply, "stats", _each("ports", _PORT[V13])),
            ),
        }
    return table


STATS: dict[int, dict[int, tuple[Record, Record]]] = {version: _stats(version) for version in (V10, V13)}
