"""One state of a network as text: flow tables, hosts and messages under way."""

from collections.abc import Iterator
from typing import Any

from sdnloom.engine.disciplines import Bag, Fifo, Lossy, Ports, Reorder
from sdnloom.engine.model import Discipline
from sdnloom.engine.semantics import Semantics, State
from sdnloom.engine.stable_text import stable_text
from sdnloom.network.hosts.component import HostCore
from sdnloom.network.links import FaultyPorts
from sdnloom.network.switch_component import SwitchState
from sdnloom.report.describe import Names, instructions_words, match_words, packet_words, words

_PHASES = {"on": "", "disconnected": " (no controller)", "off": " (no power)"}


def tables_text(semantics: Semantics, state: State, names: Names, only: str | None = None) -> list[str]:
    """Flow tables, groups, meters, buffers and ports that are down."""
    lines = []
    for component, core in zip(semantics.system.components, state.cores, strict=True):
        if isinstance(core, SwitchState) and only in (None, component.name):
            lines.append(f"{component.name}{_PHASES[core.phase]}")
            lines += [f"  {line}" for line in _switch(core, names)] or ["  no entries"]
    return lines


def _switch(state: SwitchState, names: Names) -> Iterator[str]:
    core = state.core
    for entry in core.flows:
        timeouts = "".join(
            f", {name} {seconds} s"
            for name, seconds in (("idle", entry.idle_timeout), ("hard", entry.hard_timeout))
            if seconds
        )
        does = instructions_words(entry.instructions, names)
        table = f"table {entry.table} " if entry.table else ""
        yield f"{table}priority {entry.wire_priority} {match_words(entry.match, names)} -> {does}{timeouts}"
    for group in core.groups:
        yield f"group {group.group_id}: {stable_text(group.buckets)}"
    for meter in core.meters:
        yield f"meter {meter.meter_id}: {stable_text(meter.bands)}"
    for kept in core.buffers:
        yield f"buffer {kept.buffer_id}, port {kept.in_port}: {packet_words(kept.packet, names)}"
    for port, cause in state.down:
        yield f"port {port} is down ({cause})"


def hosts_text(semantics: Semantics, state: State, only: str | None = None) -> list[str]:
    """The ports and states of the hosts."""
    return [
        f"{component.name} at {core.port}" + ("" if core.state is None else f": {stable_text(core.state)}")
        for component, core in zip(semantics.system.components, state.cores, strict=True)
        if isinstance(core, HostCore) and only in (None, component.name)
    ]


def messages_text(semantics: Semantics, state: State, names: Names) -> list[str]:
    """The messages in each channel, the next one first."""
    lines = []
    for channel, content in zip(semantics.system.channels, state.contents, strict=True):
        lines += [f"{channel.name}: {line}" for line in _waiting(channel.discipline, content, names)]
    return lines or ["nothing is under way"]


def _waiting(discipline: Discipline, content: Any, names: Names) -> Iterator[str]:
    match discipline:
        case Fifo():
            yield from (words(message, names) for message in content)
        case Reorder():
            yield from (words(message, names) for message in content[0])
        case Lossy():
            yield from _waiting(discipline.inner, content[0], names)
        case Ports():
            yield from (f"port {port}: {words(message, names)}" for port, queue in content for message in queue)
        case FaultyPorts():
            yield from (f"port {row.port}: {words(message, names)}" for row in content for message in row.queue)
        case Bag():
            for message, count in sorted(content, key=stable_text):
                yield words(message, names) + (f" ({count} times)" if count > 1 else "")
        case _:
            if content != discipline.empty:
                yield stable_text(content)
