"""Abilities of single elements (figure 3.1 of the thesis)."""

from sdnloom.netkat.syntax import DROP_ALL, PASS_ALL, Assign
from sdnloom.races.language.load import parse_model
from sdnloom.races.language.model import BigSwitch, ChannelMessage, InnerSwitch, RaceModel, RequestMessage
from sdnloom.races.search.behaviour import Emission, Processing, Reception, behaviours

TABLE = Assign("port", 2)
FIRST = RequestMessage(ChannelMessage("ask", PASS_ALL), ChannelMessage("tell", TABLE))
SECOND = RequestMessage(ChannelMessage("ask", PASS_ALL), ChannelMessage("tell", DROP_ALL))
UPDATE = ChannelMessage("up", TABLE)


def test_a_big_switch_forwards_receives_updates_and_requests_them() -> None:
    switches = (InnerSwitch("A", DROP_ALL, (UPDATE, UPDATE)), InnerSwitch("B", TABLE, (), (FIRST, SECOND)))
    (behaviour,) = behaviours(RaceModel((BigSwitch("Net", switches),), {}))
    assert behaviour.tables == (DROP_ALL, TABLE)
    able = behaviour.abilities(behaviour.initial)
    assert able.processings == (Processing(None, None),)
    assert able.receptions == (Reception(UPDATE, None, 0),)
    # One question may wait for either of two answers.
    assert able.emissions == (
        Emission(ChannelMessage("ask", PASS_ALL), (FIRST, 1)),
        Emission(ChannelMessage("ask", PASS_ALL), (SECOND, 1)),
    )


def test_a_big_switch_that_waits_forwards_and_receives_updates_but_requests_nothing_else() -> None:
    switches = (InnerSwitch("A", DROP_ALL, (UPDATE,)), InnerSwitch("B", DROP_ALL, (), (FIRST, SECOND)))
    (behaviour,) = behaviours(RaceModel((BigSwitch("Net", switches),), {}))
    waiting = (FIRST, 1)
    able = behaviour.abilities(waiting)
    assert able.processings == (Processing(None, waiting),)
    assert able.emissions == ()
    assert able.receptions == (Reception(UPDATE, waiting, 0), Reception(ChannelMessage("tell", TABLE), None, 1))


def test_an_answer_that_is_also_an_update_may_be_taken_as_either() -> None:
    answer = RequestMessage(ChannelMessage("ask", PASS_ALL), UPDATE)
    (behaviour,) = behaviours(RaceModel((BigSwitch("Net", (InnerSwitch("A", DROP_ALL, (UPDATE,), (answer,)),)),), {}))
    able = behaviour.abilities((answer, 0))
    assert able.receptions == (Reception(UPDATE, (answer, 0), 0), Reception(UPDATE, None, 0))


def test_a_term_has_the_abilities_of_its_actions() -> None:
    text = "channel a, b\nC = a ! one ; C o+ b ? zero ; bot o+ port <- 2 ; C o+ a ! one ; C\nsystem C"
    (behaviour,) = behaviours(parse_model(text))
    able = behaviour.abilities(behaviour.initial)
    assert [one.message for one in able.emissions] == [ChannelMessage("a", PASS_ALL)]
    assert [one.message for one in able.receptions] == [ChannelMessage("b", DROP_ALL)]
    assert [one.policy for one in able.processings] == [TABLE]
    ended = behaviour.abilities(able.receptions[0].then)
    assert ended == type(able)((), (), ())
