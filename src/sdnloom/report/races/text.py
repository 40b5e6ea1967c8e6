"""Races as text: the verdict, how it was reached, then every race with its trace."""

from typing import Final

from sdnloom.netkat.printer import to_text
from sdnloom.netkat.syntax import DROP_ALL
from sdnloom.races.language.model import BigSwitch, RaceModel
from sdnloom.races.result import Race, RaceMode, RaceOutcome, RaceResult
from sdnloom.races.search.trace import Label, ProcessLabel, VectorClock, VectorClocks

# A shared part of a policy is written out wherever it occurs, so a text may be far larger than its policy.
_MAX_LENGTH: Final = 2000


def label_text(model: RaceModel, label: Label) -> str:
    """An event as text: the element that forwards, or sender, receiver, channel and policy."""
    names = [element.name for element in model.elements]
    if isinstance(label, ProcessLabel):
        return f"{names[label.element]} forwards with {_tables_text(model, label)}"
    policy = to_text(label.policy, limit=_MAX_LENGTH)
    return f"{names[label.sender]} -> {names[label.receiver]}  {label.channel} ! {policy}"


def clock_text(clock: VectorClock) -> str:
    """One vector clock."""
    return f"[{', '.join(map(str, clock))}]"


def clocks_text(clocks: VectorClocks) -> str:
    """Vector clocks as RaceLoom writes them."""
    return f"[{', '.join(map(clock_text, clocks))}]"


def races_text(result: RaceResult) -> str:
    """The whole report."""
    lines = [_verdict(result), _effort(result)]
    harmless = result.harmless
    if harmless is not None:
        lines.append("harmless: " + ", ".join(f"{kind.value} {harmless[kind]}" for kind in harmless))
    if result.unlisted:
        lines.append(f"{result.unlisted} of them are not listed; --max-races raises the limit")
    for number, race in enumerate(result.races, 1):
        lines += ["", *_race(result.model, number, race)]
    return "\n".join(lines) + "\n"


def _verdict(result: RaceResult) -> str:
    counts = ", ".join(f"{kind.value} {count}" for kind, count in result.counts.items())
    total = sum(result.counts.values())
    if result.outcome is RaceOutcome.INCOMPLETE:
        return f"incomplete: {result.stopped}; harmful races so far: {total} ({counts})"
    if total:
        return f"harmful races: {total} ({counts})"
    return "no harmful race"


def _effort(result: RaceResult) -> str:
    if result.proved:
        what = "another" if result.mode is RaceMode.COMPLETE else "another first one"
        bound = f"proved: no trace of any length has {what}"
    elif result.outcome is RaceOutcome.INCOMPLETE:
        bound = "not proved"
    else:
        bound = f"all traces of up to {result.depth} events; a greater --depth, or unbounded, may show more"
    if not result.states and result.proved:
        return f"{bound}; no table that can be installed changes any property's value"
    mode = result.mode.value
    return (
        f"{bound}; mode {mode}, {result.states} states ({result.stored} stored), {result.levels} levels, "
        f"{result.evaluations} property evaluations"
    )


def _race(model: RaceModel, number: int, race: Race) -> list[str]:
    effect = "harmless" if race.property is None else f"changes {race.property}"
    length = len(race.trace.events)
    i, j = race.positions
    elements = ", ".join(f"{element.name} ({element.role.value})" for element in model.elements)
    lines = [
        f"{number}. {race.kind.value}: events {i} and {j} of {length}, {effect}",
        f"     clocks of {elements}: {clocks_text(race.trace.clocks[0])}",
    ]
    for place, event in enumerate(race.trace.events, 1):
        mark = "*" if place in race.positions else " "
        lines.append(f"   {mark} {place}  {label_text(model, event.label)}")
        lines.append(f"        {clocks_text(race.trace.clocks[place])}")
    return lines


def _tables_text(model: RaceModel, label: ProcessLabel) -> str:
    element = model.elements[label.element]
    if not isinstance(element, BigSwitch):
        return to_text(label.tables[0], limit=_MAX_LENGTH)
    pairs = zip(element.switches, label.tables, strict=True)
    shown = [f"{switch.name}: {to_text(table, limit=_MAX_LENGTH)}" for switch, table in pairs if table is not DROP_ALL]
    dropping = len(label.tables) - len(shown)
    if dropping:
        others = "others" if shown else "tables"
        shown.append(f"{dropping} {others} drop" if dropping > 1 or not shown else "1 other drops")
    return "; ".join(shown)
