"""Apps get the events of a real os-ken, in the same phases, and their messages arrive unchanged."""

import pytest

from sdnloom.network.openflow import (
    ApplyActions,
    BarrierReply,
    BarrierRequest,
    FlowMod,
    Match,
    Output,
    PacketOut,
    Port,
    PortDesc,
    PortStatus,
)
from sdnloom.network.program import MessageIn, SwitchDown, TimerInput
from sdnloom.platforms.osken.errors import AppError
from tests.platforms.osken.helpers import app, frame, joined, packet, program, run

A, B = 0x0A, 0x0B
WHOLE = 0xFFE5  # os-ken's default: as much of a packet as there may be


def test_the_table_miss_entry_of_the_configuration_phase_reaches_the_switch():
    (reaction,) = run(program("learning"), joined())
    ((switch, message),) = reaction.messages
    assert switch == "s1"
    assert isinstance(message, FlowMod)
    assert (message.priority, message.xid) == (0, 0)
    assert message.instructions == (ApplyActions((Output(Port.CONTROLLER, WHOLE),)),)


def test_a_learning_switch_floods_then_installs_in_1_3():
    first, second = run(program("learning"), joined(), packet(frame(B, A)), packet(frame(A, B), port=2))[1:]
    assert first.messages == (("s1", PacketOut((Output(Port.FLOOD, WHOLE),), frame(B, A), 1)),)
    (_, install), (_, out) = second.messages
    assert install.match == Match.of(in_port=2, eth_dst=A)
    assert (install.instructions, install.priority) == ((ApplyActions((Output(1, WHOLE),)),), 1)
    assert out == PacketOut((Output(1, WHOLE),), frame(A, B), 2)


def test_a_learning_switch_floods_then_installs_in_1_0_under_the_names_of_ryu():
    under_test = program("learning10")
    assert (under_test.name, under_test.version) == ("Learning10", "1.0")
    first, second = run(
        under_test, joined(), packet(frame(B, A), buffer_id=7), packet(frame(A, B), port=2, buffer_id=8)
    )[1:]
    assert first.messages == (("s1", PacketOut((Output(Port.FLOOD, WHOLE),), b"", 1, 7)),)
    (_, install), (_, out) = second.messages
    assert install.match == Match.of(in_port=2, eth_dst=A)
    assert out == PacketOut((Output(1, WHOLE),), b"", 2, 8)


@pytest.mark.parametrize(("version", "tables"), [("1.0", 1), ("1.3", 254)])
def test_every_event_comes_in_its_phase(version, tables):
    under_test = program("phases", version=version, hub="eventlet")
    port = PortStatus(2, PortDesc(2, 0x20002, "renamed"))
    run(under_test, joined(), packet(b"x" * 20), MessageIn("s1", port), SwitchDown("s1"), packet(b"late"))
    assert app(under_test, "Phases").seen == [
        "hello",
        f"features 1 {tables}",
        "main [1, 2]",
        "enter 1 2 1",
        "packet 20 0",
        "port 2 renamed",
        "dead [1, 2]",
        "leave 1 2 0",
    ]


def test_a_switch_that_comes_back_is_a_new_connection():
    under_test = program("phases", version="1.3", hub="eventlet")
    first, _, again = run(under_test, joined(), SwitchDown("s1"), joined())
    assert [each for each in app(under_test, "Phases").seen if "enter" in each] == ["enter 1 2 1", "enter 1 2 1"]
    assert first.core != again.core  # it has a log of what happened


def test_on_the_native_hub_an_app_learns_of_a_lost_switch_when_it_sends_something():
    under_test = program("sender_to_all", version="1.3", hub="native")
    *_, lost, late, later = run(under_test, joined(), joined(2), SwitchDown("s1"), packet(b"x", 2), packet(b"x", 2))
    assert app(under_test, "SenderToAll").seen == [
        "main 1",
        "main 2",
        "sent 1 True",
        "sent 2 True",
        "dead 1",
        "sent 1 False",
        "sent 2 True",
    ]
    assert not lost.messages
    assert [switch for switch, _ in late.messages] == [switch for switch, _ in later.messages] == ["s2"]


def test_apps_send_each_other_events_and_requests():
    under_test = program("teller", "counter", version="1.3")
    assert under_test.name == "Teller + Counter"
    run(under_test, joined(), packet(b"x" * 60), packet(b"x" * 61))
    assert app(under_test, "Teller").heard == ["count 60", "was reset", "count 61", "was reset"]


def test_an_app_that_asks_one_that_never_answers_waits_and_so_do_its_later_events():
    under_test = program("teller", version="1.3")
    asked, later = run(under_test, joined(), packet(b"x" * 60), packet(b"x" * 61))[1:]
    assert app(under_test, "Teller").heard == []
    assert asked.core != later.core  # the second one waits in the queue
    assert under_test.capture == "snapshot"


def test_an_answer_finds_its_request_by_the_transaction_id_and_ids_do_not_grow():
    under_test = program("keeper", version="1.3")
    _, first, second = run(under_test, joined(), packet(b"x" * 61), packet(b"x" * 61))
    ids = [message.xid for reaction in (first, second) for _, message in reaction.messages]
    assert [isinstance(message, BarrierRequest) for _, message in first.messages] == [True, False]
    assert ids == [1, 0, 2, 0]  # the first barrier is still waited for when the second is sent
    core = second.core
    for number in (1, 2):
        (answered,) = under_test.handle(core, MessageIn("s1", BarrierReply(xid=number)))
        core = answered.core
    (third,) = under_test.handle(core, packet(b"x" * 61))
    assert [message.xid for _, message in third.messages] == [1, 0]


def test_the_version_is_the_newest_that_all_apps_speak():
    assert program("phases").version == "1.3"
    assert program("phases", "learning10").version == "1.0"


def test_named_timers_are_refused():
    under_test = program("learning")
    with pytest.raises(AppError, match="timer 'x': an os-ken app has no timers of that kind; expected `ticks`"):
        under_test.handle(under_test.initial(), TimerInput("x"))


def test_files_are_those_of_the_app():
    assert [file.name for file in program("teller").files] == ["counter.py", "teller.py"]


def test_two_programs_do_not_see_each_other():
    one, other, fresh = (
        program("keeper", version="1.3"),
        program("keeper", version="1.3"),
        program("keeper", version="1.3"),
    )
    inputs = (joined(), packet(b"x" * 60), packet(b"x" * 61))
    alone = [reaction.core for reaction in run(fresh, *inputs)]
    cores = [one.initial(), other.initial()]
    for given, expected in zip(inputs, alone, strict=True):
        for place, each in enumerate((one, other)):
            (reaction,) = each.handle(cores[place], given)
            cores[place] = reaction.core
            assert reaction.core == expected
