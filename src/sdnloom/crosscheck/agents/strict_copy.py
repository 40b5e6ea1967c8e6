"""The explored copy of `strict`: the model's own modules, rewritten, with a few functions that decide at once.

What differs from the model is listed in `_CHANGES`. Matches are merged (`strict_match`), flow entries are kept in the
order of their installation and sorted when their order can be seen, and the cells that a step touches are not recorded.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any, Final

from sdnloom.crosscheck.agent import Agent
from sdnloom.crosscheck.agents import strict_match
from sdnloom.crosscheck.agents.strict_match import MergedMatch, comes_before, merged, same_match
from sdnloom.symbolic.rewrite.imports import RewrittenModules
from sdnloom.symbolic.values.sym_int import bounds, narrow_interval
from sdnloom.symbolic.values.truth import all_of, equal, holds, select

_MODEL: Final = ("sdnloom.network.bitstruct", "sdnloom.network.value")
_PACKAGES: Final = ("sdnloom.network.openflow", "sdnloom.network.packet", "sdnloom.network.switch")
_AGENT: Final = "sdnloom.crosscheck.agents.strict"
_EXACT: Final = 0x10000


def strict_copy(version: int, buffers: int) -> Callable[[], Agent]:
    """Return a factory of agents whose code is the rewritten copy of the model."""
    kind = _copy().load(_AGENT).StrictAgent
    return lambda: kind(version, buffers)


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
            same_match(merged(one.match), merged(other.match)),
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
    best = _in_order(
        [each for each in flows if each.table == table and strict_match.merged_matches(each.match, fields)]
    )
    return tuple(entry for entry in best if entry is best[0] or entry.priority == best[0].priority)


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
    if one.priority != other.priority:
        return bool(one.priority > other.priority)
    return holds(comes_before(merged(one.match), merged(other.match)))


# Changes of the modules. Each gets the copy of the module, whose own functions it may call.


def _match10(module: ModuleType) -> Mapping[str, Any]:
    write = module.write_match10

    def write_match10(match: Any) -> int:
        number: int = strict_match.write_merged_match(match) if isinstance(match, MergedMatch) else write(match)
        return number

    return {
        "read_match10": strict_match.read_merged_match,
        "write_match10": write_match10,
        "port_from_16": strict_match.merged_port,
    }


def _lookup(module: ModuleType) -> Mapping[str, Any]:
    return {
        "matches": strict_match.merged_matches,
        "covers": strict_match.merged_covers,
        "overlap": strict_match.merged_overlap,
    }


def _flow_table(module: ModuleType) -> Mapping[str, Any]:
    return {
        "put_entry": _put_entry,
        "find_entry": _find_entry,
        "without_entries": _without_entries,
        "change_entries": _change_entries,
        "best_entries": _best_entries,
    }


def _checks(module: ModuleType) -> Mapping[str, Any]:
    check = module.check_match

    def check_match(step: Any, match: Any) -> MergedMatch:
        # The fields of a match of 1.0 have what they depend on, and their values fit.
        return match if isinstance(match, MergedMatch) else merged(check(step, match))

    return {"check_match": check_match}


def _flow_mod(module: ModuleType) -> Mapping[str, Any]:
    remove = module.remove_entries

    def entry_priority(step: Any, match: Any, priority: int) -> int:
        if step.config.version != 1:
            return priority
        return select(strict_match.without_wildcards(match), _EXACT, priority)

    def remove_entries(step: Any, entries: list[Any], reason: int) -> None:
        remove(step, _in_order(entries), reason)

    return {"entry_priority": entry_priority, "remove_entries": remove_entries}


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
    "sdnloom.network.openflow.match10": _match10,
    "sdnloom.network.packet.checksum": _checksum,
    "sdnloom.network.switch.checks": _checks,
    "sdnloom.network.switch.stats": _stats,
    "sdnloom.network.switch.step": _step,
    "sdnloom.network.switch.tables.flow_mod": _flow_mod,
    "sdnloom.network.switch.tables.flow_table": _flow_table,
    "sdnloom.network.switch.tables.lookup": _lookup,
}
