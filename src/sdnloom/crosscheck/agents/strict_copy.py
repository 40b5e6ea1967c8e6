"""The explored copy of `strict`: the model's own modules, rewritten, with a few functions that decide at once.

What differs from the model is listed in `_CHANGES`. Matches are merged (`strict_match`), flow entries are kept in the
order of their installation and sorted when their order can be seen, and the cells that a step touches are not recorded.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from types import ModuleType
from typing import Any, Final

from sdnloom.crosscheck.agent import Agent
from sdnloom.crosscheck.agents.strict_match import (
    OPEN_MASKS,
    MergedMatch,
    covers_match,
    is_open,
    lacks_wildcards,
    matches_packet,
    merged,
    merged_port,
    overlaps_match,
    precedes_match,
    read_merged_match,
    same_match,
    write_merged_match,
)
from sdnloom.network.openflow.constants import V10, Port
from sdnloom.network.openflow.match import field_order
from sdnloom.symbolic.rewrite.imports import RewrittenModules
from sdnloom.symbolic.values.sym_bytes import int_of_bytes
from sdnloom.symbolic.values.sym_int import SymInt, bit_field, bounds, narrow_interval
from sdnloom.symbolic.values.truth import Truth, all_of, any_of, below, equal, holds, negated, select

_MODEL: Final = ("sdnloom.network.bitstruct", "sdnloom.network.value")
_PACKAGES: Final = ("sdnloom.network.openflow", "sdnloom.network.packet", "sdnloom.network.switch")
_AGENT: Final = "sdnloom.crosscheck.agents.strict"
_EXACT: Final = 0x10000


def strict_copy(version: int, buffers: int) -> Callable[[], Agent]:
    """Return a factory of agents whose code is the rewritten copy of the model."""
    kind = strict_module().StrictAgent
    return lambda: kind(version, buffers)


def strict_module() -> ModuleType:
    """Return the rewritten copy of the agent's module."""
    return _copy().load(_AGENT)


@lru_cache(maxsize=1)
def _copy() -> RewrittenModules:
    """Return the copies of the modules; one set of them serves all agents, because they keep no state."""
    return RewrittenModules(_is_of_model, changes=_CHANGES)


def _is_of_model(name: str) -> bool:
    return name in (*_MODEL, *_PACKAGES, _AGENT) or name.startswith(tuple(f"{each}." for each in _PACKAGES))


# Flow entries.


def _same_entry(one: Any, other: Any) -> bool:
    """Return whether two entries have the same table, priority and match."""
    if one is other:
        return True
    return holds(
        all_of(
            equal(one.table, other.table),
            equal(one.priority, other.priority),
            same_match(one.match, other.match),
        )
    )


def _put_entry(flows: tuple[Any, ...], entry: Any) -> tuple[Any, ...]:
    for index, each in enumerate(flows):
        if _same_entry(each, entry):
            return (*flows[:index], entry, *flows[index + 1 :])
    return (*flows, entry)


def _find_entry(flows: tuple[Any, ...], entry: Any) -> Any:
    return next((each for each in flows if _same_entry(each, entry)), None)


def _without_entries(flows: tuple[Any, ...], gone: Iterable[Any]) -> tuple[Any, ...]:
    listed = list(gone)
    return tuple(each for each in flows if not any(each is entry for entry in listed))


def _change_entries(flows: tuple[Any, ...], entries: Iterable[Any], changed: Callable[[Any], Any]) -> tuple[Any, ...]:
    listed = list(entries)
    return tuple(changed(each) if any(each is entry for entry in listed) else each for each in flows)


def _best_entries(flows: tuple[Any, ...], table: int, fields: Mapping[str, int]) -> tuple[Any, ...]:
    """Return the entry that applies, if one does. The model returns others of its priority too, which do not matter."""
    here = [each for each in flows if each.table == table]
    matching = [matches_packet(each.match, fields) for each in here]
    for entry, matched in zip(here, matching, strict=True):
        beaten = (
            all_of(other_matched, _precedes(other, entry))
            for other, other_matched in zip(here, matching, strict=True)
            if other is not entry
        )
        if holds(all_of(matched, negated(any_of(*beaten)))):
            return (entry,)
    return ()


def _precedes(one: Any, other: Any) -> Truth:
    """Return whether an entry is before another one of its table: by highest priority, then by match."""
    first = precedes_match(one.match, other.match)
    return any_of(below(other.priority, one.priority), all_of(equal(one.priority, other.priority), first))


def _in_order(entries: list[Any]) -> list[Any]:
    """Return entries in the model's order: by table, highest priority first, then by match."""
    ordered: list[Any] = []
    for entry in entries:
        place = next((place for place, each in enumerate(ordered) if _is_before(entry, each)), len(ordered))
        ordered.insert(place, entry)
    return ordered


def _is_before(one: Any, other: Any) -> bool:
    if one.table != other.table:
        return bool(one.table < other.table)
    return holds(_precedes(one, other))


# Changes of the modules. Each gets the copy of the module, whose own functions it may call.


def _bitstruct(module: ModuleType) -> Mapping[str, Any]:
    unpack = module.BitStruct.unpack

    def unpack_fields(self: Any, data: bytes, at: int = 0) -> dict[str, int]:
        number = int_of_bytes(data[at : at + self.size])
        if type(number) is not SymInt:
            fields: dict[str, int] = unpack(self, data, at)
            return fields
        return {name: bit_field(number, shift, mask.bit_length()) for name, shift, mask in self._fast}

    module.BitStruct.unpack = unpack_fields
    return {}


def _match10(module: ModuleType) -> Mapping[str, Any]:
    write = module.write_match10

    def write_match10(match: Any) -> int:
        number: int = write_merged_match(match) if isinstance(match, MergedMatch) else write(match)
        return number

    return {
        "read_match10": read_merged_match,
        "write_match10": write_match10,
        "port_from_16": merged_port,
        "port_to_16": lambda number: number & 0xFFFF,  # all ports of the copy were read from 16 bits
    }


def _match13(module: ModuleType) -> Mapping[str, Any]:
    """Masks: one that is symbolic stays as it is; whether it is empty or full is asked when the match is written."""
    canonical, plain, write = module.canonical, module.plain_mask, module.write_match13

    def plain_mask(field: Any, mask: int) -> int | None:
        left_open = field.name in OPEN_MASKS and is_open(mask & field.full)
        found: int | None = mask & field.full if left_open else plain(field, mask)
        return found

    def canonical_but_open(fields: list[tuple[str, int, int | None]]) -> Any:
        rows = [*canonical([row for row in fields if not is_open(row[2])]).fields]
        rows += [row for row in fields if is_open(row[2])]
        return module.Match(tuple(sorted(rows, key=lambda row: field_order(row[0]))))

    def write_match13(match: Any) -> bytes:
        data: bytes = write(canonical([*match.fields]))
        return data

    return {"canonical": canonical_but_open, "plain_mask": plain_mask, "write_match13": write_match13}


def _lookup(module: ModuleType) -> Mapping[str, Any]:
    return {
        "matches": lambda match, fields: holds(matches_packet(match, fields)),
        "covers": lambda general, special: holds(covers_match(general, special)),
        "overlap": lambda one, other: holds(overlaps_match(one, other)),
    }


def _flow_table(module: ModuleType) -> Mapping[str, Any]:
    return {
        "put_entry": _put_entry,
        "find_entry": _find_entry,
        "without_entries": _without_entries,
        "change_entries": _change_entries,
        "best_entries": _best_entries,
    }


def _core(module: ModuleType) -> Mapping[str, Any]:
    """Timers: an entry without one has 0 milliseconds left, and its timeout says so when somebody asks."""
    kind = module.FlowEntry
    kind.has_idle_timer = property(lambda entry: bool(entry.idle_timeout))
    kind.has_hard_timer = property(lambda entry: bool(entry.hard_timeout))
    kind.timers = property(_timers)
    return {}


def _timers(entry: Any) -> tuple[int, ...]:
    idle = (entry.idle_left,) if entry.has_idle_timer else ()
    return (*idle, entry.hard_left) if entry.has_hard_timer else idle


def _counters(module: ModuleType) -> Mapping[str, Any]:
    size = module._size
    last: list[Any] = [None, 0]

    def size_of(packet: Any) -> int:
        """Return the size of a frame; the same packet is asked for several times in a row."""
        if last[0] is not packet:
            last[:] = [packet, size(packet)]
        return int(last[1])

    def count_hit(step: Any, entry: Any, received: Any) -> Any:
        """Count with the flags as factors: NO_PKT_COUNTS is bit 3, NO_BYT_COUNTS bit 4."""
        packets = entry.traffic.packets + 1 - (entry.flags >> 3 & 1)
        octets = entry.traffic.bytes + size_of(received) * (1 - (entry.flags >> 4 & 1))
        return replace(entry, traffic=module.Traffic(packets, octets))

    return {"count_hit": count_hit, "_size": size_of}


def _pipeline(module: ModuleType) -> Mapping[str, Any]:
    def restart_timer(step: Any, entry: Any) -> Any:
        return replace(entry, idle_left=entry.idle_timeout * 1000)

    return {"restart_timer": restart_timer}


def _checks(module: ModuleType) -> Mapping[str, Any]:
    check = module.check_match

    def check_match(step: Any, match: Any) -> MergedMatch:
        # The fields of a match of 1.0 have what they depend on, and their values fit.
        return match if isinstance(match, MergedMatch) else merged(check(step, match))

    def check_port(step: Any, number: int, packet_out: bool) -> None:
        known = (Port.IN_PORT, Port.NORMAL, Port.FLOOD, Port.ALL, Port.CONTROLLER)
        present = (port.port_no for port in step.ports)
        allowed = (*known, *present, Port.TABLE) if packet_out else (*known, *present)
        if not holds(any_of(*(equal(number, each) for each in allowed))):
            raise module.RefusedMessage("bad_action", "bad_out_port")

    return {"check_match": check_match, "_check_port": check_port}


def _flow_mod(module: ModuleType) -> Mapping[str, Any]:
    remove, selected, install = module.remove_entries, module._selected, module._install

    def entry_priority(step: Any, match: Any, priority: int) -> int:
        if step.config.version != V10:
            return priority
        return select(lacks_wildcards(match), _EXACT, priority)

    def remove_entries(step: Any, entries: list[Any], reason: int) -> None:
        remove(step, _in_order(entries), reason)

    def select_entries(step: Any, *criteria: Any) -> list[Any]:
        return selected(step, *criteria) if step.core.flows else []

    def install_entry(step: Any, message: Any, wanted: Any) -> None:
        # Without entries a modify of 1.0 adds one too, so the command does not matter.
        (install if step.core.flows or step.config.version != V10 else module._add)(step, message, wanted)

    def refuse_overlap(step: Any, message: Any, entry: Any) -> None:
        for other in step.core.flows:
            same_level = all_of(equal(other.table, entry.table), equal(other.priority, entry.priority))
            asked = equal(message.flags >> 1 & 1, 1)
            if holds(all_of(asked, same_level, overlaps_match(other.match, entry.match))):
                raise module.RefusedMessage("flow_mod_failed", "overlap")

    return {
        "entry_priority": entry_priority,
        "remove_entries": remove_entries,
        "_install": install_entry,
        "_refuse_overlap": refuse_overlap,
        "_selected": select_entries,
        "_timer": lambda seconds: seconds * 1000,
    }


def _stats(module: ModuleType) -> Mapping[str, Any]:
    selected = module._selected
    return {"_selected": lambda step, request: _in_order(selected(step, request))}


def _checksum(module: ModuleType) -> Mapping[str, Any]:
    return {"checksum": _folded_checksum}


def _folded_checksum(number: int) -> int:
    """Return the internet checksum as a sum of words: the remainder of a long number is hard for a solver."""
    total = sum(number >> shift & 0xFFFF for shift in range(0, bounds(number)[1].bit_length(), 16))
    for _ in range(2):  # the carries of the first time carry once at most
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - narrow_interval(total, 0, 0xFFFF)


class _NoCells:
    """In place of a set of cells: takes everything and holds nothing."""

    def add(self, cell: object) -> None: ...

    def update(self, cells: object) -> None: ...

    def clear(self) -> None: ...

    def __or__(self, cells: object) -> "_NoCells":
        return self

    __ior__ = __ror__ = __or__


def _step(module: ModuleType) -> Mapping[str, Any]:
    kind: Any = module.SwitchStep

    class SwitchStep(kind):  # type: ignore[misc]
        """A step that does not record cells."""

        reads = property(lambda self: _NoCells(), lambda self, cells: None)
        writes = property(lambda self: _NoCells(), lambda self, cells: None)

        def outcome(self) -> Any:
            return module.SwitchOutcome(self.core, tuple(self.outputs), tuple(self.messages), tuple(self.events))

    return {"SwitchStep": SwitchStep}


_CHANGES: Final[Mapping[str, Callable[[ModuleType], Mapping[str, Any]]]] = {
    "sdnloom.network.bitstruct": _bitstruct,
    "sdnloom.network.openflow.match10": _match10,
    "sdnloom.network.openflow.match13": _match13,
    "sdnloom.network.packet.checksum": _checksum,
    "sdnloom.network.switch.checks": _checks,
    "sdnloom.network.switch.core": _core,
    "sdnloom.network.switch.counters": _counters,
    "sdnloom.network.switch.pipeline": _pipeline,
    "sdnloom.network.switch.stats": _stats,
    "sdnloom.network.switch.step": _step,
    "sdnloom.network.switch.tables.flow_mod": _flow_mod,
    "sdnloom.network.switch.tables.flow_table": _flow_table,
    "sdnloom.network.switch.tables.lookup": _lookup,
}
