"""Counters. They make otherwise equal states different, so a switch keeps them only if it is configured to."""

from dataclasses import replace

from sdnloom.network.openflow import FlowFlag
from sdnloom.network.packet import Packet, encode
from sdnloom.network.switch.core import NO_TRAFFIC, FlowEntry, GroupEntry, Traffic
from sdnloom.network.switch.step import SwitchStep


def count_hit(step: SwitchStep, entry: FlowEntry, received: Packet) -> FlowEntry:
    """Return the entry after it has counted one more packet, with the size that the switch received."""
    if not step.config.counters:
        return entry
    counted = entry.traffic.plus(_size(received))
    if entry.flags & FlowFlag.NO_PKT_COUNTS:
        counted = replace(counted, packets=entry.traffic.packets)
    if entry.flags & FlowFlag.NO_BYT_COUNTS:
        counted = replace(counted, bytes=entry.traffic.bytes)
    return replace(entry, traffic=counted)


def count_lookup(step: SwitchStep, table: int, hit: bool) -> None:
    """Count a lookup in a table."""
    if step.config.counters:
        rows = {row[0]: row for row in step.core.counts.tables}
        _, lookups, hits = rows.get(table, (table, 0, 0))
        rows[table] = (table, lookups + 1, hits + hit)
        step.writes.add("counts")
        step.update(counts=replace(step.core.counts, tables=tuple(sorted(rows.values()))))


def count_received(step: SwitchStep, port: int, packet: Packet) -> None:
    """Count a packet that a port received."""
    if step.config.counters:
        _count_port(step, port, _size(packet), 0)


def count_sent(step: SwitchStep, port: int, packet: Packet) -> None:
    """Count a packet that a port sent."""
    if step.config.counters:
        _count_port(step, port, _size(packet), 1)


def count_group(step: SwitchStep, group: GroupEntry, buckets: tuple[int, ...], received: Packet) -> None:
    """Count a packet in a group and in the buckets that processed it."""
    if step.config.counters:
        before = group.traffic or (NO_TRAFFIC,) * (1 + len(group.buckets))
        counting = {0, *(bucket + 1 for bucket in buckets)}  # the group itself is first
        size = _size(received)
        after = tuple(each.plus(size) if index in counting else each for index, each in enumerate(before))
        step.writes.add(("group", group.group_id))
        changed = replace(group, traffic=after)
        step.update(
            groups=tuple(changed if each.group_id == group.group_id else each for each in step.core.groups),
        )


def count_metered(step: SwitchStep, meter_id: int, received: Packet) -> None:
    """Count a packet in a meter."""
    if step.config.counters:
        step.writes.add(("meter", meter_id))
        size = _size(received)
        step.update(
            meters=tuple(
                replace(each, traffic=each.traffic.plus(size)) if each.meter_id == meter_id else each
                for each in step.core.meters
            )
        )


def traffic_of_port(step: SwitchStep, port: int) -> tuple[Traffic, Traffic]:
    """Return the counters of the packets that a port received and sent."""
    step.reads.add("counts")
    found = next((row for row in step.core.counts.ports if row[0] == port), None)
    return found[1:] if found else (NO_TRAFFIC, NO_TRAFFIC)


def _count_port(step: SwitchStep, port: int, size: int, direction: int) -> None:
    both = list(traffic_of_port(step, port))
    both[direction] = both[direction].plus(size)
    rows = [row for row in step.core.counts.ports if row[0] != port]
    step.writes.add("counts")
    changed = tuple(sorted([*rows, (port, both[0], both[1])], key=lambda row: row[0]))
    step.update(counts=replace(step.core.counts, ports=changed))


def _size(packet: Packet) -> int:
    return len(encode(packet))
