"""Races of small models, which can be found by hand."""

import signal
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.engine.result import Notice, Progress, SearchEvent
from sdnloom.netkat.errors import PolicyError
from sdnloom.netkat.syntax import DROP_ALL, PASS_ALL, Assign, Policy, Test, product_of, sum_of
from sdnloom.races import DyNetkatError, Limits, RaceMode, RaceOptions, RaceOutcome, RaceType, find_races
from sdnloom.races.language.lint import lint_model
from sdnloom.races.language.load import load_model, parse_model
from sdnloom.races.language.model import (
    BigSwitch,
    ChannelMessage,
    ElementRole,
    InnerSwitch,
    RaceModel,
    TermComponent,
    network_policy,
)
from sdnloom.races.language.properties import Formula, Inclusion, property_for_all_types
from sdnloom.races.language.templates import NETWORK, hole
from sdnloom.races.language.terms import BOT
from sdnloom.races.search.abstraction import Abstraction
from sdnloom.races.search.definitions import race_type
from sdnloom.races.search.evaluate import PropertyEvaluator
from sdnloom.races.search.oracle import holds_slowly
from sdnloom.races.search.table_sets import TableSets
from sdnloom.races.search.trace import ReconfigureLabel, advance_clocks, incomparable, initial_clocks
from sdnloom.races.search.truth_sets import TruthSets

HEAD = """\
policy Go = port = 1 . port <- 2
network Net
  switch S
    update up ? Go
    update up ? zero
channel ctl, ctl2
"""
PROPERTY = "\nproperty reaches = port = 1 . @Network . port = 2 is nonempty\n"


def counts(text: str, options: RaceOptions | None = None) -> tuple[int, ...]:
    result = find_races(parse_model(HEAD + text + PROPERTY), (), options or RaceOptions())
    return tuple(result.counts[kind] for kind in RaceType)


def test_one_update_races_with_forwarding_only() -> None:
    assert counts("C = up ! Go ; bot\nsystem Net || C") == (1, 0, 0)


def test_an_update_that_changes_nothing_is_harmless() -> None:
    assert counts("C = up ! zero ; bot\nsystem Net || C") == (0, 0, 0)


def test_two_controllers_race_in_both_orders() -> None:
    text = "C = up ! Go ; bot\nD = up ! zero ; bot\nsystem Net || C || D"
    assert counts(text) == (2, 2, 0)


def test_updates_of_one_controller_do_not_race() -> None:
    assert counts("C = up ! Go ; up ! zero ; bot\nsystem Net || C") == (2, 0, 0)


def test_a_controller_that_knows_of_the_update_does_not_race_with_it() -> None:
    """C tells D after its update: the message is an activity of C and makes D know."""
    knowing = "C = up ! Go ; ctl ! one ; bot\nD = ctl ? one ; up ! zero ; bot\nsystem Net || C || D"
    assert counts(knowing) == (2, 0, 0)


def test_knowledge_passes_through_a_third_controller() -> None:
    text = """
C = up ! Go ; ctl ! one ; bot
D = ctl ? one ; ctl2 ! one ; bot
E = ctl2 ? one ; up ! zero ; bot
system Net || C || D || E"""
    assert counts(text) == (2, 0, 0)


def test_a_controller_that_the_switch_asks_knows_of_its_updates() -> None:
    """The switch got C's update and then asks D: D knows of it, and its answer does not race with it."""
    text = """
policy Go = port = 1 . port <- 2
network Net
  switch S
    update up ? Go
    request ask ! one then tell ? zero
C = up ! Go ; bot
D = ask ? one ; tell ! zero ; bot
system Net || C || D
property reaches = port = 1 . @Network . port = 2 is nonempty
"""
    result = find_races(parse_model(text))
    pairs = {(race.first.source, race.second.sender) for race in result.races if race.kind is RaceType.CT_SW_CT}
    # Only when the question came before C's update does D answer without knowing of it.
    assert pairs == {(1, 2), (2, 1)}
    late = next(race for race in result.races if race.first.source == 1 and race.kind is RaceType.CT_SW_CT)
    assert [type(event.label).__name__ for event in late.trace.events] == ["ReconfigureLabel"] * 3


def test_two_controllers_that_reconfigure_a_third_are_no_race_by_themselves() -> None:
    """RaceLoom takes the third controller for a switch here and fails; no definition speaks of this case."""
    text = "A = ctl ! Go ; bot\nB = ctl ! Go ; bot\nC = ctl ? Go ; C\nsystem Net || A || B || C"
    assert counts(text) == (0, 0, 0)
    assert counts(text, RaceOptions(RaceMode.RACELOOM)) == (0, 0, 0)


def test_two_controllers_that_reconfigure_the_same_updating_controller_both_race_with_its_update() -> None:
    text = """
A = ctl ! zero ; bot
B = ctl2 ! zero ; bot
C = up ! Go ; C o+ ctl ? zero ; C o+ ctl2 ? zero ; C
system Net || A || B || C"""
    assert counts(text) == (1, 0, 2)


def test_reconfiguration_three_layers_deep_is_found() -> None:
    """Only the layer right above a controller that updates a switch races with it (definition 7)."""
    text = """
A = ctl2 ! Go ; A
B = ctl2 ? Go ; ctl ! Go ; B
C = ctl ? Go ; up ! Go ; C o+ up ! zero ; C
system Net || A || B || C"""
    result = find_races(parse_model(HEAD + text + PROPERTY))
    deep = [race for race in result.races if race.kind is RaceType.CT_CT_SW]
    assert [(race.first.source, race.second.sender) for race in deep] == [(3, 2)]
    assert result.proved


def test_a_policy_that_only_controllers_exchange_counts_for_what_it_would_do_on_the_switch() -> None:
    """No table that S accepts lets anything through; what A gives C would. B and D keep the update waiting."""
    text = """
policy Go = port = 1 . port <- 2
network Net
  switch S
    update up ? zero
channel ctl, ctl2
A = ctl ! Go ; bot
B = ctl2 ! one ; B
C = up ! zero ; C o+ ctl ? Go ; bot
D = ctl2 ? one ; D
system Net || A || B || C || D
property reaches = port = 1 . @Network . port = 2 is nonempty
"""
    result = find_races(parse_model(text))
    assert [result.counts[kind] for kind in RaceType] == [0, 0, 1]
    assert result.proved
    without_a = find_races(parse_model(text.replace("|| A ||", "||")))
    assert without_a.states > 0
    assert sum(without_a.counts.values()) == 0


def test_a_switch_given_by_a_term_has_the_policies_of_its_labels() -> None:
    """Equation 3.1 of the thesis: forwarding with N races with both updates, and with the other's forwarding."""
    text = """
policy N1 = port = 1 . port <- 2
channel Ch
SW(N) = N ; SW(N) o+ Ch ? N1 ; SW(N1) o+ Ch ? zero ; SW(zero)
CT = Ch ! N1 ; CT o+ Ch ! zero ; CT
system SW(zero) || CT
property reaches = port = 1 . @Network . port = 2 is nonempty
"""
    result = find_races(parse_model(text))
    assert [result.counts[kind] for kind in RaceType] == [2, 0, 0]
    assert result.proved


def test_a_waypoint_on_a_switch_given_by_a_term_is_refused() -> None:
    text = """
channel Ch
SW = one ; SW o+ Ch ? one ; SW
CT = Ch ! one ; CT
system SW || CT
property w = waypoint port = 1 from one to one
"""
    with pytest.raises(DyNetkatError, match="a waypoint needs hops; switch 'SW' is a term"):
        find_races(parse_model(text))


def test_waypoints_isolation_and_equivalence_have_races_of_their_own() -> None:
    """S1 sends packets from port 1 over port 5, past the guard at port 7, or straight to port 9."""
    text = """
policy Over = port = 1 . port <- 7
policy Past = port = 1 . port <- 9
network Net
  links port = 7 . port <- 8 + port = 9 . port <- 9
  switch S1 = Over
    update up ? Past
  switch S2 = port = 8 . port <- 9
C = up ! Past ; bot
system Net || C
property guarded = waypoint port = 7 from port = 1 to port = 9
property wrong_way = waypoint port = 6 from port = 1 to port = 9
property apart = isolated port = 1, port = 8
property same = port = 1 . @Network == port = 1 . (port <- 8 + port <- 9)
property within = port = 1 . @Network <= port = 1 . port <- 9
property reach = port = 1 . @Network . port = 9 is nonempty
"""
    result = find_races(parse_model(text))
    assert {race.property for race in result.races} == {"guarded", "apart", "same", "within"}
    assert result.counts[RaceType.CT_SW] == 1


def test_several_properties_count_a_race_once() -> None:
    model = parse_model(HEAD + "C = up ! Go ; bot\nsystem Net || C" + PROPERTY + PROPERTY.replace("reaches", "again"))
    for mode in RaceMode:
        result = find_races(model, (), RaceOptions(mode))
        assert [race.property for race in result.races] == ["reaches", "again"]
        assert result.counts[RaceType.CT_SW] == 1
        assert result.unlisted == 0


def test_a_depth_too_small_for_a_race_is_not_called_a_proof() -> None:
    model = parse_model(HEAD + "C = up ! Go ; bot\nsystem Net || C" + PROPERTY)
    results = [find_races(model, (), RaceOptions(depth=depth)) for depth in range(4)]
    assert [sum(result.counts.values()) for result in results] == [0, 0, 1, 1]
    assert [result.proved for result in results] == [False, False, True, True]


def test_no_new_states_are_no_proof_while_a_race_is_longer_than_the_depth() -> None:
    """The second update leads back to the first state, and the race with it needs one event more."""
    model = parse_model(HEAD + "C = up ! Go ; up ! zero ; C\nsystem Net || C" + PROPERTY)
    results = [find_races(model, (), RaceOptions(depth=depth)) for depth in (2, 3)]
    assert [sum(result.counts.values()) for result in results] == [1, 2]
    assert [result.proved for result in results] == [False, True]


def test_a_property_that_no_table_can_change_is_proved_without_search() -> None:
    model = parse_model(HEAD + "C = up ! Go ; C\nsystem Net || C\nproperty p = @Network . dst = 9 . dst <- 9 is empty")
    constant = parse_model(HEAD + "C = up ! Go ; C\nsystem Net || C\nproperty p = port = 5 . @Network is empty")
    assert find_races(constant).states == 0
    assert find_races(constant).proved
    assert find_races(constant, (), RaceOptions(harmless=True)).states > 0
    assert find_races(model).states > 0


def test_limits_end_a_search_as_incomplete_with_what_was_found() -> None:
    text = "C = up ! Go ; up ! zero ; C\nD = up ! zero ; D\nsystem Net || C || D"
    model = parse_model(HEAD + text + PROPERTY)
    result = find_races(model, (), RaceOptions(limits=Limits(states=1)))
    assert result.outcome is RaceOutcome.INCOMPLETE
    assert result.stopped == "the limit of 1 states was reached"
    assert not result.proved
    assert sum(result.counts.values()) > 0


def interrupt(*_: object) -> None:
    """Press Ctrl-C."""
    signal.raise_signal(signal.SIGINT)


def test_an_interrupt_ends_a_search_as_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdnloom.engine.limits._PROGRESS_SECONDS", 0)
    events: list[SearchEvent] = []

    def on_event(event: SearchEvent) -> None:
        events.append(event)
        if isinstance(event, Progress):
            interrupt()

    # Long enough that progress is reported at least once.
    parts = " o+ ".join(f"c{k} ! one ; C{k}" for k in range(12))
    text = "channel " + ", ".join(f"c{k}" for k in range(12)) + "\n"
    for k in range(12):
        text += f"C{k} = " + parts + f" o+ c{k} ? one ; up ! Go ; C{k}\n"
    text += "system Net || " + " || ".join(f"C{k}" for k in range(12))
    result = find_races(parse_model(HEAD + text + PROPERTY), (), RaceOptions(max_races=1), on_event)
    assert (result.stopped, result.verdict, result.outcome) == ("interrupted", "incomplete", RaceOutcome.INCOMPLETE)
    assert [type(event) for event in events] == [Progress, Notice]
    assert not result.proved


def test_an_interrupt_ends_the_list_of_races(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "C = up ! Go ; up ! zero ; C\nD = up ! zero ; D\nsystem Net || C || D"
    model = parse_model(HEAD + text + PROPERTY)
    whole = find_races(model)
    assert len(whole.races) > 1

    def interrupting(*arguments: Any) -> RaceType | None:
        interrupt()
        return race_type(*arguments)

    monkeypatch.setattr("sdnloom.races.finder.race_type", interrupting)
    result = find_races(model)
    assert (len(result.races), result.counts, result.stopped) == (1, whole.counts, "interrupted")


def test_limits_have_no_depth_of_their_own() -> None:
    model = parse_model(HEAD + "C = up ! Go ; C\nsystem Net || C" + PROPERTY)
    with pytest.raises(DyNetkatError, match="the limits have a depth, expected the option `depth`"):
        find_races(model, (), RaceOptions(limits=Limits(depth=3)))


def test_a_model_without_properties_is_refused() -> None:
    with pytest.raises(DyNetkatError, match="found no property, expected one or more"):
        find_races(parse_model(HEAD + "C = up ! Go ; C\nsystem Net || C"))


def test_permuting_switches_controllers_and_alternatives_changes_no_count() -> None:
    first = "C = up ! Go ; C o+ ctl ? one ; bot\nD = up ! zero ; D o+ ctl ! one ; D\nsystem Net || C || D"
    second = "D = ctl ! one ; D o+ up ! zero ; D\nC = ctl ? one ; bot o+ up ! Go ; C\nsystem D || Net || C"
    for mode in RaceMode:
        assert counts(first, RaceOptions(mode)) == counts(second, RaceOptions(mode))


def test_only_the_receiver_learns() -> None:
    clocks = initial_clocks(3)
    clocks = advance_clocks(clocks, _rcfg(1, 0))
    assert clocks == ((1, 1, 0), (0, 1, 0), (0, 0, 0))
    clocks = advance_clocks(clocks, _rcfg(2, 0))
    assert clocks == ((2, 1, 1), (0, 1, 0), (0, 0, 1))
    assert incomparable(clocks[1], clocks[2], 1, 2)
    assert not incomparable(clocks[1], clocks[0], 1, 0)


def _rcfg(sender: int, receiver: int) -> ReconfigureLabel:
    return ReconfigureLabel("c", PASS_ALL, sender, receiver)


def _hop(source: int, target: int) -> Policy:
    return product_of([Test("port", source), Assign("port", target)])


_POOL = [DROP_ALL, _hop(1, 2), _hop(2, 3), _hop(1, 3), _hop(3, 1), PASS_ALL]
_switches = st.lists(
    st.tuples(st.sampled_from(_POOL), st.lists(st.sampled_from(_POOL), min_size=1, max_size=2)), min_size=1, max_size=4
)
_one, _three, _network = Test("port", 1), Test("port", 3), hole(NETWORK)
_formulas = st.sampled_from(
    [
        Formula((Inclusion(product_of([_one, _network, _three])),)),
        Formula((Inclusion(sum_of([product_of([_one, _network, _three]), product_of([_three, _network, _one])])),)),
        Formula((Inclusion(product_of([_one, _network, _three])),), avoid=Test("port", 2)),
        Formula((Inclusion(product_of([_one, _network, _network, _three])),)),
        Formula((Inclusion(_network, _hop(1, 2)),)),
        Formula((Inclusion(_hop(1, 3), _network),)),
        Formula((Inclusion(_network, sum_of([_network, PASS_ALL])),)),
        Formula((Inclusion(_hop(1, 2), _network), Inclusion(product_of([_one, _network, _three])))),
        Formula((Inclusion(sum_of([_one, product_of([_one, _network, _three])])),)),
    ]
)


@pytest.mark.slow
@given(_switches, _formulas, st.sampled_from([PASS_ALL, sum_of([_hop(2, 2), _hop(3, 3), _hop(1, 1)]), _hop(2, 3)]))
def test_truth_sets_say_what_the_reference_evaluator_says(
    tables: list[tuple[Policy, list[Policy]]], formula: Formula, links: Policy
) -> None:
    inner = [
        InnerSwitch(f"S{k}", first, tuple(ChannelMessage(f"u{k}", one) for one in written))
        for k, (first, written) in enumerate(tables)
    ]
    big = BigSwitch("Net", tuple(inner), links)
    model = RaceModel((big, TermComponent("C", ElementRole.CONTROLLER, BOT)), {})
    cells = Abstraction(model, first_race_only=False, remember_updates=True).cells
    sets = TableSets([len(cell.policies) for cell in cells], [cell.writable for cell in cells])
    truth = TruthSets(sets, cells, 0, big, formula)
    holding = set(sets.vectors(truth.holds()))
    for vector in product(*(range(len(cell.policies)) for cell in cells)):
        chosen = tuple(cell.policies[value] for cell, value in zip(cells, vector, strict=True))
        expected = holds_slowly(formula, network_policy(chosen, links, formula.avoid))
        assert (vector in holding) == expected
        assert PropertyEvaluator(big, formula).holds(chosen) == expected


def test_truth_needs_few_evaluations_when_other_tables_do_not_matter() -> None:
    """Two parallel paths of 12 switches: 2**24 choices of tables, a few hundred questions."""
    inner = []
    for name, ports in (("a", [*range(13)]), ("b", [0, *range(101, 112), 12])):
        hops = [_hop(ports[k], ports[k + 1]) for k in range(12)]
        inner += [
            InnerSwitch(f"{name}{k}", DROP_ALL, (ChannelMessage(f"{name}{k}", hop),)) for k, hop in enumerate(hops)
        ]
    big = BigSwitch("Net", tuple(inner))
    model = RaceModel((big, TermComponent("C", ElementRole.CONTROLLER, BOT)), {})
    cells = Abstraction(model, first_race_only=False, remember_updates=True).cells
    sets = TableSets([2] * 24, [cell.writable for cell in cells])
    formula = property_for_all_types(
        "p", Formula((Inclusion(product_of([Test("port", 0), _network, Test("port", 12)])),))
    )
    truth = TruthSets(sets, cells, 0, big, formula.formulas[RaceType.CT_SW])
    # Some packet gets through if one of the paths is complete.
    assert 2**24 - sets.count(truth.holds()) == 2**12 + 2**12 - 1
    assert truth.evaluator.evaluations < 250


def test_a_message_that_no_element_receives_is_a_lint_warning() -> None:
    text = "C = up ! Go . one ; C o+ ctl ! one ; C\nD = ctl ? one ; up ! Go ; D\nsystem Net || C || D"
    model = parse_model(HEAD + text + PROPERTY)
    assert lint_model(model) == [
        "C sends port = 1 . port <- 2 . one on 'up', which no element receives: it blocks there for ever"
    ]


def test_examples_have_no_lint_warnings() -> None:
    for file in sorted((Path(__file__).parents[2] / "examples" / "races").glob("*.races")):
        assert lint_model(load_model(file)) == []


@pytest.mark.parametrize("argument", ["N . N", "N . one", "(N . port = 1)* + one"])
def test_a_parameter_that_grows_without_bound_is_refused_or_stopped(argument: str) -> None:
    """Its states never end; a limit ends the search, or the size of what it carries does."""
    text = f"channel ch\nX(N) = N ; X({argument}) o+ ch ? one ; X(one)\nC = ch ! one ; C\nsystem X(port = 1) || C"
    model = parse_model(text + "\nproperty p = port = 1 . @Network is nonempty")
    options = RaceOptions(limits=Limits(states=300))
    try:
        assert find_races(model, (), options).stopped == "the limit of 300 states was reached"
    except PolicyError as error:
        assert "grows with every step" in str(error)  # noqa: PT017
