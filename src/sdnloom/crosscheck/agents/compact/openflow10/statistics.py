"""Answers to requests for statistics."""

from sdnloom.crosscheck.agents.compact.arithmetic import equal_bit
from sdnloom.crosscheck.agents.compact.datapath import Datapath
from sdnloom.crosscheck.agents.compact.flow_table import CompactEntry
from sdnloom.crosscheck.agents.compact.openflow10.match import MATCH_OCTETS, CompactMatch10
from sdnloom.crosscheck.agents.compact.openflow10.protocol import PORTS10
from sdnloom.crosscheck.agents.compact.wire import (
    HEADER_OCTETS,
    Errors10,
    Kinds10,
    Refusal,
    number_at,
    octets_of,
    padded_text,
    wire_message,
)


class StatisticsKinds10:
    """Types of statistics."""

    DESCRIPTION, FLOWS, AGGREGATE, TABLES, PORTS, QUEUES = range(6)
    VENDOR = 0xFFFF


# Kind -> octets of a request's body.
_BODY_OCTETS = {
    StatisticsKinds10.DESCRIPTION: 0,
    StatisticsKinds10.FLOWS: 44,
    StatisticsKinds10.AGGREGATE: 44,
    StatisticsKinds10.TABLES: 0,
    StatisticsKinds10.PORTS: 8,
    StatisticsKinds10.QUEUES: 8,
}
_ALL_TABLES = 0xFF
_ALL_QUEUES = 0xFFFFFFFF
_EVERY_WILDCARD = 0x3FFFFF
_DESCRIPTION_OCTETS = (256, 256, 256, 32, 256)


def answer_statistics10(datapath: Datapath, message: bytes) -> list[bytes]:
    """Return the answer to a request; an agent that does not report bad requests returns nothing for them."""
    if len(message) < HEADER_OCTETS + 4:
        raise Refusal(Errors10.BAD_LENGTH)
    wanted, body = number_at(message, HEADER_OCTETS, 2), message[HEADER_OCTETS + 4 :]
    for kind, octets in _BODY_OCTETS.items():
        if wanted == kind:
            if len(body) != octets:
                raise Refusal(Errors10.BAD_LENGTH)
            try:
                rows = _rows(datapath, kind, body)
            except Refusal:
                if datapath.behaviours.reports_bad_statistics:
                    raise
                return []
            head = octets_of(kind, 2) + bytes(2)
            return [wire_message(Kinds10.STATS_REPLY, number_at(message, 4, 4), head + rows)]
    is_vendor = wanted == StatisticsKinds10.VENDOR
    if is_vendor and len(body) < 4:
        raise Refusal(Errors10.BAD_LENGTH)
    if not datapath.behaviours.reports_bad_statistics:
        return []
    raise Refusal(Errors10.BAD_VENDOR if is_vendor else Errors10.BAD_STATISTICS)


def _rows(datapath: Datapath, kind: int, body: bytes) -> bytes:
    if kind == StatisticsKinds10.DESCRIPTION:
        texts = zip(datapath.behaviours.description, _DESCRIPTION_OCTETS, strict=True)
        return b"".join(padded_text(text, octets) for text, octets in texts)
    if kind == StatisticsKinds10.FLOWS:
        return b"".join(_flow(entry, datapath.now) for entry in _wanted_entries(datapath, body))
    if kind == StatisticsKinds10.AGGREGATE:
        entries = _wanted_entries(datapath, body)
        packets, octets = sum(entry.packets for entry in entries), sum(entry.octets for entry in entries)
        return octets_of(packets, 8) + octets_of(octets, 8) + octets_of(len(entries), 4) + bytes(4)
    if kind == StatisticsKinds10.TABLES:
        return _tables(datapath)
    return _ports(datapath, body) if kind == StatisticsKinds10.PORTS else _queues(datapath, body)


def _wanted_entries(datapath: Datapath, body: bytes) -> list[CompactEntry]:
    """Return the entries that a request selects. There is one table, number 0."""
    table = body[MATCH_OCTETS]
    other_table = (1 - equal_bit(table, 0, 8)) & (1 - equal_bit(table, _ALL_TABLES, 8))
    match, out_port = CompactMatch10(body[:MATCH_OCTETS]), number_at(body, MATCH_OCTETS + 2, 2)
    found = datapath.table.selected(match, 0, 0, out_port)
    return [] if found and other_table else found


def _flow(entry: CompactEntry, now: int) -> bytes:
    age = now - entry.installed
    body = octets_of(88 + len(entry.wire_actions), 2) + bytes(2) + entry.match.wire
    body += octets_of(age // 1000, 4) + octets_of(age % 1000 * 1_000_000, 4)
    body += octets_of(entry.priority, 2) + octets_of(entry.idle_timeout, 2) + octets_of(entry.hard_timeout, 2)
    body += bytes(6) + octets_of(entry.cookie, 8) + octets_of(entry.packets, 8) + octets_of(entry.octets, 8)
    return body + entry.wire_actions


def _tables(datapath: Datapath) -> bytes:
    behaviours = datapath.behaviours
    row = bytes(4) + padded_text(behaviours.table_name, 32) + octets_of(_EVERY_WILDCARD, 4)
    row += octets_of(behaviours.table_size, 4) + octets_of(len(datapath.table.entries), 4)
    return row + octets_of(datapath.lookups, 8) + octets_of(datapath.hits, 8)


def _ports(datapath: Datapath, body: bytes) -> bytes:
    wanted, rows = number_at(body, 0, 2), b""
    every = wanted == PORTS10.none or (datapath.behaviours.port_zero_is_all_ports and wanted == 0)
    for port in datapath.ports:
        if every or wanted == port.number:
            rows += octets_of(port.number, 2) + bytes(6)
            rows += b"".join(octets_of(counter, 8) for counter in port.counters) + bytes(64)
    return rows


def _queues(datapath: Datapath, body: bytes) -> bytes:
    """Return no rows: there are no queues. A port or a queue that does not exist is refused."""
    port, queue = number_at(body, 0, 2), number_at(body, 4, 4)
    known = equal_bit(port, PORTS10.none, 16) | equal_bit(port, PORTS10.all, 16)
    for each in datapath.ports:
        known = known | equal_bit(port, each.number, 16)
    if known == 0:
        raise Refusal(Errors10.QUEUE_PORT)
    if queue != _ALL_QUEUES:
        raise Refusal(Errors10.QUEUE_NUMBER)
    return b""
