"""Races as they are shown: clocks, rendezvous, tables, and the packet that tells before from after."""

from pathlib import Path

import pytest

from sdnloom.netkat.evaluate import evaluate_policy, packet
from sdnloom.netkat.syntax import PASS_ALL
from sdnloom.races import RaceOptions, RaceResult, find_races, load_model, load_properties
from sdnloom.races.effect import RaceEffects
from sdnloom.races.language.model import BigSwitch, network_policy
from sdnloom.races.language.templates import NETWORK, fill
from sdnloom.report.export.shiviz import shiviz_events
from sdnloom.report.view.of_races import races_view

EXAMPLES = Path(__file__).parents[2] / "examples" / "races"


def result(name: str, harmless: bool = False) -> RaceResult:
    return find_races(load_model(EXAMPLES / f"{name}.races"), (), RaceOptions(harmless=harmless))


@pytest.mark.parametrize("name", ["firewall", "hierarchy"])
def test_the_packet_is_treated_so_by_one_of_the_tables_only(name: str) -> None:
    """The slow evaluator of NetKAT runs the packet through the property with the tables before and after the race."""
    found = result(name)
    effects = RaceEffects(found)
    assert found.races
    for race in found.races:
        effect = effects.effect(race)
        assert effect is not None
        assert effect.witness is not None
        assert effect.holds[0] != effect.holds[1]
        element = found.model.elements[effect.switch]
        assert isinstance(element, BigSwitch)
        [inclusion] = effect.formula.inclusions
        outputs = []
        for tables in effect.tables:
            policy = fill(inclusion.left, {NETWORK: network_policy(tables, element.links, effect.formula.avoid)})
            outputs.append(packet(effect.witness.after) in evaluate_policy(policy, effect.witness.before))
        assert outputs == [effect.witness_before, not effect.witness_before]
        assert effect.formula.avoid is PASS_ALL


def test_a_race_is_told_with_names_of_the_model_and_the_packet() -> None:
    view = races_view(result("hierarchy"))
    assert (view.kind, view.verdict, view.properties) == ("races", "violated", ("no_h3_to_h2",))
    assert view.headline == "VIOLATED harmful races: 9 (CT->SW 4, CT->SW<-CT 3, CT->CT->SW 2)"
    finding = view.findings[0]
    assert finding.message == "events 1 and 3 are a CT->SW<-CT race: the property holds before it and not after it"
    assert finding.facts == (
        ("type", "CT->SW<-CT"),
        ("property", "port = 5 . @Network . port = 7 is empty"),
        ("before", "S1 forwards with zero"),
        ("after", "S1 forwards with N3"),
        ("packet", "port=5"),
        ("packet after", "comes out as port=7"),
        ("packet before", "does not come out as port=7"),
    )
    trace = finding.trace
    assert trace is not None
    assert [step.text for step in trace.steps] == [
        "C2 sends Net N2 on upS2",
        "CM sends C1 N3 on upC1",
        "C1 sends Net N3 on upS1",
    ]
    assert (trace.marked, [(lane.name, lane.kind) for lane in trace.lanes][:2]) == (
        (1, 3),
        [("Net", "switch"), ("C1", "controller")],
    )
    assert [line.text for line in trace.initial["Net"]] == ["zero", "zero"]
    assert [line.text for line in trace.steps[2].changes["Net"]] == ["N3", "N2"]
    assert [step.causes for step in trace.steps] == [(), (), (2,)]
    assert all(sent.taken == step.number for step in trace.steps for sent in step.transfers)


@pytest.mark.parametrize("name", ["firewall", "hierarchy"])
def test_clocks_are_those_of_the_definitions(name: str) -> None:
    """Also those of a ShiViz log, where the receiver of a rendezvous has an event of its own."""
    found = result(name, harmless=True)
    names = [element.name for element in found.model.elements]
    for race, finding in zip(found.races, races_view(found).findings, strict=True):
        trace = finding.trace
        assert trace is not None
        for number, (event, step) in enumerate(zip(race.trace.events, trace.steps, strict=True), 1):
            expected = race.trace.clocks[number][event.label.source]
            assert dict(step.clock) == dict(zip(names, expected, strict=True))
        last: dict[str, dict[str, int]] = {name_: {} for name_ in names}
        for shown in shiviz_events(trace):
            last[shown.host] = dict(shown.clock)
        for name_, clock in zip(names, race.trace.clocks[-1], strict=True):
            assert last[name_] == {other: count for other, count in zip(names, clock, strict=True) if count}


def test_harmless_races_are_findings_without_a_property() -> None:
    found = result("hierarchy", harmless=True)
    view = races_view(found)
    assert sum(not finding.property for finding in view.findings) == sum((found.harmless or {}).values())


def test_a_property_of_a_file_is_used() -> None:
    model = load_model(EXAMPLES / "hierarchy.races")
    found = find_races(model, load_properties(EXAMPLES / "hierarchy.properties", model))
    assert all(finding.facts for finding in races_view(found).findings)
