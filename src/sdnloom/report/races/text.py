"""Races as text: the verdict, how it was reached, then every race with its trace."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from sdnloom.netkat.printer import to_text
from sdnloom.netkat.syntax import DROP_ALL, Policy
from sdnloom.races.effect import RaceEffects
from sdnloom.races.language.model import BigSwitch, RaceModel
from sdnloom.races.result import Race, RaceMode, RaceOutcome, RaceResult
from sdnloom.races.search.trace import Label, ProcessLabel, VectorClock, VectorClocks
from sdnloom.report.races.effect_text import effect_facts
from sdnloom.report.races.policy_names import PolicyNames
from sdnloom.report.text_style import PLAIN_STYLE, TextStyle, cut, fold_text

_COLOURS: Final = {RaceOutcome.INCOMPLETE: "yellow", RaceOutcome.HARMFUL: "red", RaceOutcome.NONE: "green"}
# A shared part of a policy is written out wherever it occurs, so a text may be far larger than its policy.
_MAX_LENGTH: Final = 2000


def label_text(model: RaceModel, label: Label, written: Callable[[Policy], str] | None = None) -> str:
    """An event as text: the element that forwards, or sender, receiver, channel and policy.

    `written` is how a policy is written: in full unless it says otherwise.
    """
    written = written or _in_full
    names = [element.name for element in model.elements]
    if isinstance(label, ProcessLabel):
        return f"{names[label.element]} forwards with {_tables_text(model, label, written)}"
    return f"{names[label.sender]} -> {names[label.receiver]}  {label.channel} ! {written(label.policy)}"


def _in_full(policy: Policy) -> str:
    return to_text(policy, limit=_MAX_LENGTH)


def clock_text(clock: VectorClock) -> str:
    """One vector clock."""
    return f"[{', '.join(map(str, clock))}]"


def clocks_text(clocks: VectorClocks) -> str:
    """Vector clocks as RaceLoom writes them."""
    return f"[{', '.join(map(clock_text, clocks))}]"


def races_text(result: RaceResult, style: TextStyle = PLAIN_STYLE) -> str:
    """The whole report. Policies have the names of the model; in the long form they are in full, with vector clocks."""
    colour = _COLOURS[result.outcome]
    lines = [style.paint(_verdict(result), "bold", colour), _effort(result)]
    harmless = result.harmless
    if harmless is not None:
        lines.append("harmless: " + ", ".join(f"{kind.value} {harmless[kind]}" for kind in harmless))
    if result.unlisted:
        lines.append(f"{result.unlisted} of them are not listed; --max-races raises the limit")
    effects, names = RaceEffects(result), PolicyNames(result.model)
    for number, race in enumerate(result.races, 1):
        found = effects.effect(race)
        changes = () if found is None else effect_facts(found, names)
        lines += ["", *_race(result.model, number, race, names, style), *_change_lines(dict(changes), changes, style)]
    if names.used and not style.long:
        used = sorted(f"{name} = {_in_full(policy)}" for name, policy in names.used.items())
        lines += ["", "policies:", *(cut(f"  {each}", style.columns) for each in used)]
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


def _race(model: RaceModel, number: int, race: Race, names: PolicyNames, style: TextStyle) -> list[str]:
    effect = "harmless" if race.property is None else f"changes {race.property}"
    length = len(race.trace.events)
    i, j = race.positions
    elements = ", ".join(f"{element.name} ({element.role.value})" for element in model.elements)
    lines = [f"{number}. {race.kind.value}: events {i} and {j} of {length}, {effect}"]
    if style.long:
        lines.append(f"     clocks of {elements}: {clocks_text(race.trace.clocks[0])}")
    for place, event in enumerate(race.trace.events, 1):
        mark = "*" if place in race.positions else " "
        if style.long:
            lines.append(f"   {mark} {place}  {label_text(model, event.label)}")
            lines.append(f"        {clocks_text(race.trace.clocks[place])}")
        else:
            lines.append(cut(f"   {mark} {place}  {label_text(model, event.label, names.text)}", style.columns))
    return lines


def _change_lines(facts: Mapping[str, str], all_facts: Iterable[tuple[str, str]], style: TextStyle) -> list[str]:
    """What a race changes; the packet on one line. Several tables may differ, so titles may occur more than once."""
    lines = [f"     {title}: {text}" for title, text in all_facts if not title.startswith("packet")]
    if "packet" in facts:
        is_before = facts["packet before"].startswith("comes out")
        one, other = ("before", "after") if is_before else ("after", "before")
        lines.append(f"     packet {facts['packet']}: {facts[f'packet {one}']} {one} the race, not {other} it")
    if style.long:
        return lines
    return [f"     {part}" for line in lines for part in fold_text(line.lstrip(), style.columns - 5)]


def _tables_text(model: RaceModel, label: ProcessLabel, written: Callable[[Policy], str]) -> str:
    element = model.elements[label.element]
    if not isinstance(element, BigSwitch):
        return written(label.tables[0])
    pairs = zip(element.switches, label.tables, strict=True)
    shown = [f"{switch.name}: {written(table)}" for switch, table in pairs if table is not DROP_ALL]
    dropping = len(label.tables) - len(shown)
    if dropping:
        others = "others" if shown else "tables"
        shown.append(f"{dropping} {others} drop" if dropping > 1 or not shown else "1 other drops")
    return "; ".join(shown)
