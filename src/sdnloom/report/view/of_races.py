"""Races as they are shown: a lane for each element, a step for each event of a trace.

A reconfiguration is a rendezvous: the step of its sender, with a message that is received in the same step. Clocks are
those of the element that acts, as the definitions of races compare them.
"""

from dataclasses import replace

from sdnloom import __version__
from sdnloom.races.effect import RaceEffect, RaceEffects
from sdnloom.races.language.model import BigSwitch, ElementRole, RaceModel
from sdnloom.races.result import Race, RaceOutcome, RaceResult
from sdnloom.races.search.behaviour import SwitchTables
from sdnloom.races.search.trace import ProcessLabel, RaceTrace, ReconfigureLabel
from sdnloom.report.describe import counted
from sdnloom.report.races.effect_text import effect_facts
from sdnloom.report.races.policy_names import PolicyNames
from sdnloom.report.races.text import races_text
from sdnloom.report.view.result_view import (
    FindingView,
    LaneState,
    LaneView,
    ResultView,
    StateLine,
    StepView,
    TraceView,
    TransferView,
    WireView,
)


def races_view(result: RaceResult, name: str = "", seconds: float = 0.0) -> ResultView:
    """The result as it is shown; harmless races, if they were asked for, are findings without a property."""
    effects, names = RaceEffects(result), PolicyNames(result.model)
    headline, effort = races_text(result).splitlines()[:2]
    if result.outcome is not RaceOutcome.INCOMPLETE:
        headline = f"{'VIOLATED' if result.outcome is RaceOutcome.HARMFUL else 'HOLDS'} {headline}"
    facts = [("searched", effort)]
    if result.unlisted:
        facts.append(("not listed", counted(result.unlisted, "race")))
    return ResultView(
        kind="races",
        name=name or result.model.source,
        verdict=result.verdict,
        headline=headline,
        properties=tuple(prop.name for prop in result.properties),
        findings=tuple(_finding(result.model, race, effects.effect(race), names) for race in result.races),
        facts=tuple(facts),
        seconds=seconds,
        version=__version__,
    )


def _finding(model: RaceModel, race: Race, effect: RaceEffect | None, names: PolicyNames) -> FindingView:
    first, second = race.positions
    events = f"events {first} and {second} are a {race.kind.value} race"
    if race.property is None or effect is None:
        return FindingView("", f"{events}, which changes nothing", _trace(model, race, names))
    change = "holds before it and not after it" if effect.holds[0] else "does not hold before it, and holds after it"
    return FindingView(
        race.property,
        f"{events}: the property {change}",
        _trace(model, race, names),
        (("type", race.kind.value), *effect_facts(effect, names)),
    )


def _trace(model: RaceModel, race: Race, names: PolicyNames) -> TraceView:
    lanes = tuple(
        LaneView(each.name, "switch" if each.role is ElementRole.SWITCH else "controller") for each in model.elements
    )
    trace = race.trace
    steps = tuple(_step(model, trace, number, names) for number in range(1, len(trace.events) + 1))
    talks = {(step.lane, sent.to): None for step in steps for sent in step.transfers}
    wires = {tuple(sorted(pair)): None for pair in talks}
    initial = {
        each.name: _tables(element, trace.first_tables[element], names)
        for element, each in enumerate(model.elements)
        if isinstance(each, BigSwitch)
    }
    return TraceView(
        lanes,
        _with_causes(steps),
        tuple(WireView(one, "", other, "", control=True) for one, other in wires),
        {lane: state for lane, state in initial.items() if state},
        marked=race.positions,
        length=f"shortest trace, {counted(len(steps), 'event')}",
    )


def _step(model: RaceModel, trace: RaceTrace, number: int, names: PolicyNames) -> StepView:
    event = trace.events[number - 1]
    label, elements = event.label, model.elements
    clock = {each.name: count for each, count in zip(elements, trace.clocks[number][label.source], strict=True)}
    lane = elements[label.source].name
    if isinstance(label, ProcessLabel):
        shown = [f"{line.part}: {line.text}" for line in _tables(label.element, label.tables, names)]
        if not isinstance(elements[label.element], BigSwitch):
            shown = [names.text(label.tables[0])]
        return StepView(number, lane, "forward", f"{lane} forwards with {'; '.join(shown)}", clock=clock)
    assert isinstance(label, ReconfigureLabel)
    receiver = elements[label.receiver].name
    policy = names.text(label.policy)
    changes: dict[str, LaneState] = {}
    if event.table is not None:
        changes = {receiver: _tables(label.receiver, trace.tables(label.receiver, number), names)}
    return StepView(
        number=number,
        lane=lane,
        action="reconfigure",
        text=f"{lane} sends {receiver} {policy} on {label.channel}",
        transfers=(TransferView(receiver, f"{label.channel} ! {policy}", "message", taken=number),),
        clock=clock,
        changes=changes,
    )


def _with_causes(steps: tuple[StepView, ...]) -> tuple[StepView, ...]:
    """The steps with their causes: the last event in which the lane took part. Only a receiver learns of the other."""
    latest: dict[str, int] = {}
    found = []
    for step in steps:
        causes = (latest[step.lane],) if step.lane in latest else ()
        found.append(replace(step, causes=causes))
        latest[step.lane] = step.number
        for sent in step.transfers:
            latest[sent.to] = step.number
    return tuple(found)


def _tables(element: int, tables: SwitchTables, names: PolicyNames) -> LaneState:
    return tuple(StateLine(names.switch_table(element, place), names.text(table)) for place, table in enumerate(tables))
