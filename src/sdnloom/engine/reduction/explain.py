"""Explanation of a reduction: the pairs of actions that conflict, and the cells and channels that make them conflict.

Two actions conflict if one writes a cell that the other reads or writes, if they share an end of a channel, if one
changes what the other is offered on a channel, or if a property watches both. Conflicts that a search met are listed
before those that only the declarations allow. A reduction has to assume both; the second kind goes away when an action
declares less.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sdnloom.engine.model import ALL, Action, Cell, Component, Footprint
from sdnloom.engine.stable_text import stable_text

if TYPE_CHECKING:
    from sdnloom.engine.memo import Memo


@dataclass(frozen=True)
class Conflict:
    """Two actions, as (component, action) names, and the causes of their conflict.

    `seen`: steps of both that conflict were met in the search. Otherwise the conflict follows from their declarations.
    """

    first: tuple[str, str]
    second: tuple[str, str]
    cells: tuple[str, ...] = ()  # as text, sorted; "*" is every cell
    channels: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()  # that watch the order of the two
    seen: bool = True

    def __str__(self) -> str:
        reasons = [
            f"{name}: {', '.join(values)}"
            for name, values in (("cells", self.cells), ("channels", self.channels), ("watched by", self.properties))
            if values
        ]
        names = "  <->  ".join(": ".join(name) for name in (self.first, self.second))
        return f"{names}   {'; '.join(reasons)}{'' if self.seen else ' (declared, not seen)'}"


def conflicts(memo: "Memo") -> tuple[Conflict, ...]:
    """The conflicts between actions of a memo's system: those that the search met first, then those only declared."""
    pairs = [*itertools.combinations(_views(memo), 2)]
    seen = [_conflict(memo, one, other, seen=True) for one, other in pairs]
    declared = [_conflict(memo, one, other, seen=False) for one, other in pairs]
    results = [before or after for before, after in zip(seen, declared, strict=True)]
    return tuple(sorted((one for one in results if one is not None), key=lambda one: not one.seen))


class _View(NamedTuple):
    """An action with the footprint of the steps that were met, None without any, and the one that it declares."""

    component: Component
    action: Action
    met: Footprint | None
    declared: Footprint


def _views(memo: "Memo") -> Iterator[_View]:
    met: dict[int, tuple[set[Cell], set[Cell], set[str]]] = {}
    for local in memo.locals:
        reads, writes, sends = met.setdefault(local.action, (set(), set(), set()))
        declared, outcome = memo.actions[local.action][1], local.outcome
        reads |= declared.reads if outcome.reads is None else outcome.reads
        writes |= declared.writes if outcome.writes is None else outcome.writes
        sends |= {channel for channel, _ in outcome.sends}
    for number, (owner, action) in enumerate(memo.actions):
        found = _footprint(*met[number]) if number in met else None
        yield _View(memo.system.components[owner], action, found, Footprint(action.reads, action.writes, action.sends))


def _footprint(reads: set[Cell], writes: set[Cell], sends: set[str]) -> Footprint:
    return Footprint(frozenset(reads), frozenset(writes), frozenset(sends))


def _conflict(memo: "Memo", one: _View, other: _View, seen: bool) -> Conflict | None:
    first, second = (one.met, other.met) if seen else (one.declared, other.declared)
    if first is None or second is None:
        return None
    names = (one.component.name, one.action.name), (other.component.name, other.action.name)
    same = one.component is other.component
    cells = _shared_cells(one.component, first, second) if same else set()
    channels = {
        name
        for name in first.sends & second.sends
        if same or not memo.system.channels[memo.semantics.channel_index[name]].discipline.many_senders
    }
    if one.action.take is not None and one.action.take == other.action.take:
        channels.add(one.action.take)
    for (sender, sends), taker in (((one, first.sends), other), ((other, second.sends), one)):
        if taker.action.take in sends and _disturbs(memo, sender.component.name, taker.action.take):
            channels.add(taker.action.take)
    properties = [prop.name for prop in memo.system.properties if prop.watches.issuperset(names)]
    if not cells and not channels and not properties:
        return None
    texts = {_cell_text(one.component, cell) for cell in cells}
    return Conflict(*names, tuple(sorted(texts)), tuple(sorted(channels)), tuple(properties), seen)


def _shared_cells(component: Component, one: Footprint, other: Footprint) -> set[Cell]:
    """The cells in which two footprints meet and that at least one of them writes; ALL meets every cell."""
    results: set[Cell] = set()
    for writes, touched in ((one.writes, other.reads | other.writes), (other.writes, one.reads | one.writes)):
        if not writes or not touched:
            continue
        if ALL & (writes | touched):
            results |= ALL
        else:
            results |= writes & touched
            if component.conflict is not None:
                for written, cell in itertools.product(writes - touched, touched):
                    if component.conflict(written, cell):
                        results |= {written, cell}
    return set(ALL) if results >= ALL else results


def _disturbs(memo: "Memo", sender: str, channel: str) -> bool:
    """Whether a push of the sender would have changed what one of the contents that were met offers."""
    number = memo.semantics.channel_index[channel]
    found = (memo.undisturbed(number, content) for content in memo.offering(number))
    return any(undisturbed is not None and sender not in undisturbed for undisturbed in found)


def _cell_text(component: Component, cell: Cell) -> str:
    if cell in ALL:
        return "*"
    return default_cell_text(cell) if component.cell_text is None else component.cell_text(cell)


def default_cell_text(cell: Any) -> str:
    """A cell as text: a name as it is, a tuple as its parts."""
    if isinstance(cell, str):
        return cell
    if type(cell) is tuple and cell and isinstance(cell[0], str):
        return " ".join([cell[0], *(part if isinstance(part, str) else stable_text(part) for part in cell[1:])])
    return stable_text(cell)
