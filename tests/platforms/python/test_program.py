"""Plain-Python programs: handlers, effects, state and exceptions."""

from pathlib import Path

import pytest

from sdnloom.errors import SdnloomError
from sdnloom.network.events import HandlerRaised
from sdnloom.network.openflow import (
    NO_BUFFER,
    BarrierReply,
    EchoReply,
    Error,
    FlowMod,
    FlowRemoved,
    FlowStatsReply,
    Match,
    Output,
    PacketIn,
    PacketOut,
    Port,
    PortDesc,
    PortStatus,
)
from sdnloom.network.program import Call, MessageIn, SwitchDown, SwitchUp, TimerInput
from sdnloom.platforms.capture.freeze import StateError
from sdnloom.platforms.python.handlers import HANDLERS, ProgramError
from sdnloom.platforms.python.program import PythonProgram

IN = PacketIn(Match.of(in_port=3), b"data", 4, buffer_id=7)


class Everything:
    """Writes down which handler was called with what."""

    def __init__(self, start=0):
        self.calls = [start]


for _name in HANDLERS:

    def _handler(self, net, *arguments, _name=_name):
        self.calls.append((_name, *arguments))

    setattr(Everything, _name, _handler)

GIVEN = [
    (SwitchUp("s1", 1, ()), ("switch_join", "s1", SwitchUp("s1", 1, ()))),
    (SwitchDown("s1"), ("switch_leave", "s1")),
    (TimerInput("poll"), ("timer", "poll")),
    (Call("block", (1, "x")), ("external", "block", 1, "x")),
    *(
        (MessageIn("s1", message), (name, "s1", message))
        for name, message in [
            ("packet_in", IN),
            ("port_status", PortStatus(0, PortDesc(1))),
            ("flow_removed", FlowRemoved(Match())),
            ("stats", FlowStatsReply(())),
            ("barrier_reply", BarrierReply()),
            ("error", Error("bad_request", "bad_type")),
        ]
    ),
]


@pytest.mark.parametrize(("given", "call"), GIVEN, ids=lambda value: type(value).__name__)
def test_each_input_calls_its_handler(given, call):
    program = PythonProgram(Everything, {"start": 5})
    (reaction,) = program.handle(program.initial(), given)
    instance = Everything(5)
    instance.calls.append(call)
    expected = PythonProgram(Everything)._core(instance)
    assert reaction.core == expected
    assert reaction.messages == reaction.events == ()


def test_every_handler_of_the_contract_is_tested():
    assert {call[0] for _, call in GIVEN} == set(HANDLERS)


def test_a_message_that_nobody_handles_changes_nothing():
    program = PythonProgram(Everything)
    core = program.initial()
    (reaction,) = program.handle(core, MessageIn("s1", EchoReply()))
    assert (reaction.core, reaction.messages) == (core, ())

    class Deaf:
        def timer(self, net, name):
            net.send("s1", BarrierReply())

    deaf = PythonProgram(Deaf)
    assert deaf.handle(deaf.initial(), MessageIn("s1", IN))[0].messages == ()


class Speaker:
    def packet_in(self, net, switch, message):
        net.flood(switch, message)
        net.install(switch, Match.of(in_port=1), Output(2), release=message, idle_timeout=5, priority=9)
        net.install("s2", Match())


def test_effects_are_messages_in_order():
    program = PythonProgram(Speaker)
    (kept,) = program.handle(program.initial(), MessageIn("s1", IN))
    flood, rule, drop = kept.messages
    assert flood == ("s1", PacketOut((Output(Port.FLOOD),), b"", 3, 7))
    assert (rule[1].buffer_id, rule[1].idle_timeout, rule[1].priority) == (7, 5, 9)
    assert drop == ("s2", FlowMod())
    (whole,) = program.handle(program.initial(), MessageIn("s1", PacketIn(Match.of(in_port=3), b"data", 4)))
    assert whole.messages[0] == ("s1", PacketOut((Output(Port.FLOOD),), b"data", 3))
    assert whole.messages[1][1].buffer_id == NO_BUFFER
    assert whole.messages[2] == ("s1", PacketOut((Output(2),), b"data", 3))


class Counting:
    per_switch = True

    def __init__(self):
        self.seen = {}

    def packet_in(self, net, switch, message):
        self.seen[switch] = self.seen.get(switch, 0) + 1
        if self.seen[switch] == 2:
            net.send(switch, BarrierReply())
            raise RuntimeError("twice is too often")


def test_handling_is_a_pure_function_of_the_core():
    program = PythonProgram(Counting)
    first = program.initial()
    one = program.handle(first, MessageIn("s1", IN))[0].core
    assert program.handle(first, MessageIn("s1", IN))[0].core == one
    two = program.handle(one, MessageIn("s2", IN))[0].core
    other = program.handle(program.handle(first, MessageIn("s2", IN))[0].core, MessageIn("s1", IN))[0].core
    assert two == other  # whichever came first


def test_an_exception_is_an_event_with_file_and_line_and_what_was_done_before_stays():
    program = PythonProgram(Counting)
    core = program.handle(program.initial(), MessageIn("s1", IN))[0].core
    (reaction,) = program.handle(core, MessageIn("s1", IN))
    (event,) = reaction.events
    assert isinstance(event, HandlerRaised)
    assert (event.program, event.handler, event.text) == ("Counting", "packet_in", "RuntimeError: twice is too often")
    assert event.file == Path(__file__).name
    assert "twice is too often" in Path(__file__).read_text().splitlines()[event.line - 1]
    assert reaction.messages == (("s1", BarrierReply()),)
    assert reaction.core != core


class Deep:
    def timer(self, net, name):
        self.timer(net, name)

    def external(self, net, name):
        int(name)

    def barrier_reply(self, net, switch, message):
        raise SystemExit(3)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (TimerInput("x"), "RecursionError"),
        (Call("x"), "ValueError"),
        (MessageIn("s1", BarrierReply()), "SystemExit: 3"),
        (Call("x", (1, 2)), "TypeError"),
    ],
)
def test_no_exception_of_a_program_escapes(given, text):
    program = PythonProgram(Deep)
    (reaction,) = program.handle(program.initial(), given)
    assert reaction.events[0].text.startswith(text)


TABLE: dict[str, int] = {}


class Leaky:
    ports: dict[str, int] = {}  # noqa: RUF012 (the mistake under test)

    def packet_in(self, net, switch, message):
        self.ports[switch] = message.in_port

    def timer(self, net, name):
        TABLE[name] = 1

    def external(self, net, name):
        self.ports = {name: 1}


@pytest.mark.parametrize(
    ("given", "where"), [(MessageIn("s1", IN), "Leaky.ports"), (TimerInput("x"), "the module's TABLE")]
)
def test_state_that_outlives_the_instance_is_refused(given, where):
    program = PythonProgram(Leaky)
    try:
        with pytest.raises(ProgramError, match=f"of Leaky changes {where}, which is no part of its state"):
            program.handle(program.initial(), given)
    finally:
        Leaky.ports.clear()
        TABLE.clear()


def test_an_attribute_that_hides_a_class_variable_is_state():
    program = PythonProgram(Leaky)
    (reaction,) = program.handle(program.initial(), Call("a"))
    assert dict(reaction.core).keys() == {"ports"}


class Empty:
    pass


class Files:
    def __init__(self, name):
        self.stream = iter([name])

    def timer(self, net, name):
        pass


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: PythonProgram(Empty), ProgramError, "class Empty handles nothing; expected one of packet_in"),
        (lambda: PythonProgram("Empty"), ProgramError, "expected a class"),
        (lambda: PythonProgram(Files).initial(), ProgramError, "cannot be made"),
        (lambda: PythonProgram(Files, {"name": "x"}).initial(), StateError, "Files.stream is a builtins.list_iterator"),
    ],
)
def test_what_is_no_program_is_refused_with_a_reason(make, error, message):
    with pytest.raises(error, match=message):
        make()
    assert issubclass(error, SdnloomError)
