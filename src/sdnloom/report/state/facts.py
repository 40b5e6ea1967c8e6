"""The state of one component of a network as facts, one for each entry: flow tables, hosts, messages that wait."""

from collections.abc import Iterator
from typing import Any

from sdnloom.engine.disciplines import Bag, Fifo, Lossy, Ports, Reorder
from sdnloom.engine.model import Discipline
from sdnloom.engine.stable_text import stable_text
from sdnloom.network.hosts.component import HostCore
from sdnloom.network.links import FaultyPorts
from sdnloom.network.switch_component import SwitchState
from sdnloom.network.text import bands_words, buckets_words
from sdnloom.report.describe import Names, instructions_words, match_words, packet_words, words
from sdnloom.report.view.result_view import StateLine

FLOWS, GROUPS, METERS, BUFFERS, PORTS = "flow table", "groups", "meters", "buffers", "ports"
PHASES = {"on": "", "disconnected": "no controller", "off": "no power"}


def switch_facts(state: SwitchState, names: Names) -> Iterator[StateLine]:
    """Connection, flow tables, groups, meters, buffers and ports that are down."""
    core = state.core
    if PHASES[state.phase]:
        yield StateLine("connection", PHASES[state.phase])
    for entry in core.flows:
        timeouts = "".join(
            f", {name} {seconds} s"
            for name, seconds in (("idle", entry.idle_timeout), ("hard", entry.hard_timeout))
            if seconds
        )
        does = instructions_words(entry.instructions, names)
        table = f"table {entry.table} " if entry.table else ""
        text = f"{table}priority {entry.wire_priority} {match_words(entry.match, names)} -> {does}{timeouts}"
        yield StateLine(FLOWS, text)
    for group in core.groups:
        yield StateLine(GROUPS, f"group {group.group_id}: {buckets_words(group.buckets, names)}")
    for meter in core.meters:
        yield StateLine(METERS, f"meter {meter.meter_id}: {bands_words(meter.bands)}")
    for kept in core.buffers:
        text = f"buffer {kept.buffer_id}, port {kept.in_port}: {packet_words(kept.packet, names)}"
        yield StateLine(BUFFERS, text)
    for port, cause in state.down:
        yield StateLine(PORTS, f"port {port} is down ({cause})")


def host_facts(core: HostCore) -> Iterator[StateLine]:
    """The port of a host, and its own state."""
    yield StateLine("port", str(core.port))
    yield from _attributes(core.state)


def _attributes(state: Any) -> Iterator[StateLine]:
    """The attributes of a state, those of states inside of it as well; a state of another form is one line."""
    if isinstance(state, tuple) and hasattr(state, "_fields"):
        for name, value in zip(state._fields, state, strict=True):
            if isinstance(value, tuple) and hasattr(value, "_fields"):
                yield from _attributes(value)
            else:
                yield StateLine("state", f"{name.replace('_', ' ')}: {stable_text(value)}")
    elif state is not None:
        yield StateLine("state", words(state))


def waiting_texts(discipline: Discipline, content: Any, names: Names) -> Iterator[str]:
    """The messages that a channel holds, the next one first."""
    match discipline:
        case Fifo():
            yield from (words(message, names) for message in content)
        case Reorder():
            yield from (words(message, names) for message in content[0])
        case Lossy():
            yield from waiting_texts(discipline.inner, content[0], names)
        case Ports():
            yield from (f"port {port}: {words(message, names)}" for port, queue in content for message in queue)
        case FaultyPorts():
            yield from (f"port {row.port}: {words(message, names)}" for row in content for message in row.queue)
        case Bag():
            for message, count in sorted(content, key=stable_text):
                yield words(message, names) + (f" ({count} times)" if count > 1 else "")
        case _:
            if content != discipline.empty:
                yield words(content, names)
