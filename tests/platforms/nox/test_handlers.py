"""What happens reaches the handlers of NOX apps as NOX gives it to them: arguments, order, STOP, exceptions."""

import pytest

from sdnloom.network.events import HandlerRaised
from sdnloom.network.openflow import (
    AggregateReply,
    BarrierReply,
    DescReply,
    EchoRequest,
    Error,
    FlowRemoved,
    FlowStats,
    FlowStatsReply,
    Match,
    PortDesc,
    PortStats,
    PortStatsReply,
    PortStatus,
    TableStats,
    TableStatsReply,
)
from sdnloom.network.packet import Arp, Lldp
from sdnloom.network.program import Call, MessageIn, SwitchDown, ThreadTurn, TimerInput
from sdnloom.platforms.nox import NoxError, NoxProgram
from tests.platforms.nox.helpers import JOINED, component, frame, give, packet_in, program, write

# An app that writes down the arguments of every call.
NOTING = """
class App(Component):
    def __init__(self, ctxt):
        Component.__init__(self, ctxt)
        self.seen = []

    def note(self, *args):
        self.seen.append(args)

    def install(self):
        self.register_for_{kind}(self.note)
"""


def seen(folder, kind, *inputs):
    """The arguments that a handler of that kind gets for the inputs."""
    started = program(folder, NOTING.format(kind=kind))
    give(started, *inputs)
    return component(started).seen


def test_a_packet_comes_with_switch_port_reason_length_buffer_and_headers(tmp_path):
    data = frame()
    ((dpid, port, reason, length, buffer_id, packet),) = seen(tmp_path, "packet_in", JOINED, packet_in(data, port=2))
    assert (dpid, port, reason, length, buffer_id) == (0x1A, 2, 0, len(data), 7)
    assert packet.tostring() == packet.arr.tostring() == data
    assert packet.find("tcp").dstport == 80


def test_a_packet_that_no_buffer_keeps_has_none(tmp_path):
    (arguments,) = seen(tmp_path, "packet_in", JOINED, packet_in(buffer_id=0xFFFFFFFF, reason=1))
    assert arguments[2] == 1
    assert arguments[4] is None


def test_a_switch_that_joins_says_what_it_has(tmp_path):
    ((dpid, attributes),) = seen(tmp_path, "datapath_join", JOINED)
    assert dpid == 0x1A
    assert sorted(attributes) == ["actions", "caps", "n_bufs", "n_tables", "ports"]
    first, second = attributes["ports"]
    assert (first["port_no"], first["name"], first["hw_addr"]) == (1, "eth1", b"\0\0\0\0\x0a\x01")
    assert (first["link"], first["enabled"], first["flood"]) == (True, True, True)
    assert (second["link"], second["enabled"], second["flood"]) == (False, True, False)


def test_a_switch_that_leaves_is_known_no_longer(tmp_path):
    assert seen(tmp_path, "datapath_leave", JOINED, SwitchDown("s1")) == [(0x1A,)]
    assert seen(tmp_path, "packet_in", JOINED, SwitchDown("s1"), packet_in()) == []


def test_a_port_that_changes_is_described(tmp_path):
    given = MessageIn("s1", PortStatus(2, PortDesc(3, 1, "eth3", config=1)))
    ((dpid, reason, port),) = seen(tmp_path, "port_status", JOINED, given)
    assert (dpid, reason, port["port_no"], port["enabled"]) == (0x1A, 2, 3, False)


def test_a_removed_entry_comes_as_a_flow(tmp_path):
    match = Match.of(in_port=1, eth_src=0x10, eth_type=0x800, ipv4_dst="10.0.0.0/8")
    given = MessageIn("s1", FlowRemoved(match, 1, 5, 9, 3, 4, packet_count=6, byte_count=70))
    (arguments,) = seen(tmp_path, "flow_removed", JOINED, given)
    flow = {"in_port": 1, "dl_src": 0x10, "dl_type": 0x800, "nw_dst": 0x0A000000, "nw_dst_n_wild": 24}
    assert arguments == (0x1A, flow, 5, 1, 9, 3, 4, 70, 6)


@pytest.mark.parametrize(
    ("kind", "message", "expected"),
    [
        ("barrier_reply", BarrierReply(xid=8238), (8238,)),
        ("error", Error("bad_action", "bad_out_port", b"data", xid=5), (2, 4, b"data", 5)),
        ("aggregate_stats_in", AggregateReply(1, 2, 3), ({"packet_count": 1, "byte_count": 2, "flow_count": 3},)),
        (
            "desc_stats_in",
            DescReply("m", "h", "s", "n", "d"),
            ({"mfr_desc": "m", "hw_desc": "h", "sw_desc": "s", "dp_desc": "d", "serial_num": "n"},),
        ),
        (
            "table_stats_in",
            TableStatsReply((TableStats(0, "main", 0, 100, 2, 30, 20),)),
            (
                [
                    {"table_id": 0, "name": "main", "max_entries": 100}
                    | {"active_count": 2, "lookup_count": 30, "matched_count": 20}
                ],
            ),
        ),
        (
            "flow_stats_in",
            FlowStatsReply((FlowStats(Match.of(in_port=1), priority=9, packet_count=4),), flags=1, xid=3),
            (
                [
                    {"match": {"in_port": 1}, "table_id": 0, "cookie": 0, "duration_sec": 0, "duration_nsec": 0}
                    | {"priority": 9, "idle_timeout": 0, "hard_timeout": 0, "packet_count": 4, "byte_count": 0}
                ],
                True,
                3,
            ),
        ),
    ],
)
def test_answers_of_a_switch_have_the_arguments_that_nox_gives(tmp_path, kind, message, expected):
    assert seen(tmp_path, kind, JOINED, MessageIn("s1", message)) == [(0x1A, *expected)]


def test_statistics_of_ports_are_a_list_of_dictionaries(tmp_path):
    reply = PortStatsReply((PortStats(1, rx_packets=5, tx_bytes=7), PortStats(0xFFFFFFFE)))
    ((_, ports),) = seen(tmp_path, "port_stats_in", JOINED, MessageIn("s1", reply))
    assert [port["port_no"] for port in ports] == [1, 0xFFFE]
    assert (ports[0]["rx_packets"], ports[0]["tx_bytes"], ports[0]["collisions"]) == (5, 7, 0)
    assert seen(tmp_path, "port_stats_in", JOINED, MessageIn("s1", PortStatsReply())) == [(0x1A, [])]


def test_a_message_that_nox_has_no_event_for_reaches_nobody(tmp_path):
    assert seen(tmp_path, "error", JOINED, MessageIn("s1", EchoRequest(b"x"))) == []


ORDERED = """
class App(Component):
    def __init__(self, ctxt):
        Component.__init__(self, ctxt)
        self.called = []

    def first(self, *args):
        self.called.append("first")
        return {answer}

    def second(self, *args):
        self.called.append("second")

    def install(self):
        self.register_for_packet_in(self.first)
        self.register_for_packet_in(self.second)
"""


@pytest.mark.parametrize(
    ("answer", "called"),
    [("None", ["first", "second"]), ("CONTINUE", ["first", "second"]), ("STOP", ["first"]), ("1 / 0", None)],
)
def test_handlers_are_called_in_order_until_one_stops(tmp_path, answer, called):
    started = program(tmp_path, ORDERED.format(answer=answer))
    reaction = give(started, JOINED, packet_in())
    assert component(started).called == (called or ["first", "second"])
    assert bool(reaction.events) == (called is None)


def test_an_exception_is_an_event_with_the_line_of_the_app(tmp_path):
    source = """
    class App(Component):
        def came(self, *args):
            self.known = True
            self.look_up({})

        def look_up(self, table):
            return table["nothing"]

        def install(self):
            self.register_for_packet_in(self.came)
    """
    started = program(tmp_path, source)
    reaction = give(started, JOINED, packet_in())
    effect = "the handler ends, the next ones run"
    assert reaction.events == (HandlerRaised("app", "App.came", "app.py", 9, "KeyError: 'nothing'", "", effect),)
    assert component(started).known  # what it did before stays done


def test_an_exception_of_the_packet_library_names_the_line_of_the_app(tmp_path):
    source = """
    class App(Component):
        def came(self, dpid, inport, reason, length, bufid, packet):
            packet.set_payload(7)

        def install(self):
            self.register_for_packet_in(self.came)
    """
    (event,) = give(program(tmp_path, source), JOINED, packet_in()).events
    assert (event.file, event.line, event.text) == (
        "app.py",
        5,
        "TypeError: payload must be string or packet subclass",
    )


MATCHING = """
class App(Component):
    def __init__(self, ctxt):
        Component.__init__(self, ctxt)
        self.called = []

    def noting(self, name):
        def note(*args):
            self.called.append(name)
            return STOP
        return note

    def install(self):
        self.register_for_packet_in(self.noting("every"))
        self.arp = self.register_for_packet_match(self.noting("arp"), 5, {DL_TYPE: ethernet.ethernet.ARP_TYPE})
        self.register_for_packet_match(self.noting("arp too"), 5, {DL_TYPE: 0x0806, DL_SRC: "00:00:00:00:00:10"})
        self.register_for_packet_match(self.noting("any arp, later"), 9, {DL_TYPE: ethernet.ethernet.ARP_TYPE})
        self.register_for_packet_match(self.noting("web"), 1, {NW_PROTO: 6, TP_DST: 80, NW_DST: "0.0.0.2"})

    def forget(self):
        return self.unregister_handler(self.arp), self.unregister_handler(99)
"""


def test_rules_for_packets_go_first_and_only_those_with_the_lowest_number(tmp_path):
    started = program(tmp_path, MATCHING)
    reaction = give(started, JOINED)
    arp = packet_in(frame(0x10, 0x20, Arp(1, 0x10, 1, 0, 2)))
    for given, called in (
        (arp, ["arp", "arp too", "every"]),
        (packet_in(frame(0x11, 0x20, Arp(1, 0x11, 1, 0, 2))), ["arp", "every"]),
        (packet_in(), ["web", "every"]),
        (packet_in(frame(0x10, 0x20, Lldp())), ["every"]),
        (packet_in(b"short"), ["every"]),
    ):
        give(started, given, core=reaction.core)
        assert component(started).called == called
    forgotten = give(started, Call("forget"), core=reaction.core)
    give(started, arp, core=forgotten.core)
    assert component(started).called == ["arp too", "every"]


def test_events_of_the_program_happen_after_the_handlers_of_the_present_one(tmp_path):
    source = """
    class Found:
        NAME = "found"

    class App(Component):
        def __init__(self, ctxt):
            Component.__init__(self, ctxt)
            self.called = []

        def came(self, *args):
            self.post(pyevent("hello", {"who": 7}))
            self.post(Found())
            self.called.append("came")

        def install(self):
            self.register_python_event("hello")
            self.register_event("found")
            self.register_for_packet_in(self.came)
            self.register_handler("hello", lambda event: self.called.append(event.pyevent["who"]))
            self.register_handler("found", lambda event: self.called.append(type(event).__name__))
    """
    started = program(tmp_path, source)
    give(started, JOINED, packet_in())
    assert component(started).called == ["came", 7, "Found"]


def test_a_program_that_posts_without_end_is_refused(tmp_path):
    source = """
    class App(Component):
        def again(self, event):
            self.post(pyevent("again"))

        def install(self):
            self.register_handler("again", self.again)
            self.register_for_packet_in(lambda *args: self.post(pyevent("again")))
    """
    with pytest.raises(NoxError, match="more than 10000 posted events"):
        give(program(tmp_path, source), JOINED, packet_in())


def test_a_change_of_a_flow_table_is_an_event_at_once(tmp_path):
    source = """
    class App(Component):
        def __init__(self, ctxt):
            Component.__init__(self, ctxt)
            self.called = []

        def came(self, *args):
            self.install_datapath_flow(0x1A, {DL_DST: 5}, 1, 2, [], priority=3)
            self.called.append("came")

        def install(self):
            self.register_for_packet_in(self.came)
            self.register_for_flow_mod(lambda *args: self.called.append(args))
    """
    started = program(tmp_path, source)
    give(started, JOINED, packet_in())
    assert component(started).called == [(0x1A, {"dl_dst": 5}, 0, 1, 2, 0xFFFFFFFF, 3, 0), "came"]


def test_components_find_each_other_and_hear_when_all_are_installed(tmp_path):
    first = write(
        tmp_path,
        """
        class App(Component):
            answer = 42
            def configure(self, config):
                self.given = config["arguments"]
            def getInterface(self):
                return str(App)
        """,
        "first",
    )
    second = write(
        tmp_path,
        """
        import first

        class App(Component):
            def install(self):
                self.other = self.resolve(first.App)
                self.nobody = self.resolve("nobody")
                self.loaded = self.is_component_loaded("first"), self.is_component_loaded("third")
                self.register_for_bootstrap_complete(lambda event: setattr(self, "complete", True))
        """,
        "second",
    )
    started = NoxProgram([first, second], {"first": ["a", "b"]})
    found = component(started, "second")
    assert started.name == "first + second"
    assert found.other is component(started, "first")
    assert (found.other.given, found.other.answer) == (["a", "b"], 42)
    assert (found.nobody, found.loaded, found.complete) == (None, (True, False), True)


CALLED = """
class App(Component):
    def __init__(self, ctxt):
        Component.__init__(self, ctxt)
        self.weights = {}

    def reweigh(self, name, weight):
        self.weights[name] = weight

def reset():
    raise ValueError("not now")
"""


def test_methods_and_functions_can_be_called_from_outside(tmp_path):
    started = program(tmp_path, CALLED)
    give(started, Call("reweigh", ("a", 3)))
    assert component(started).weights == {"a": 3}
    (event,) = give(started, Call("reset")).events
    assert (event.handler, event.text) == ("reset", "ValueError: not now")
    with pytest.raises(NoxError, match="call of 'resize'; expected a method of a component or a function of app"):
        give(started, Call("resize"))


def test_named_timers_and_turns_are_not_for_nox(tmp_path):
    started = program(tmp_path, CALLED)
    with pytest.raises(NoxError, match="NOX apps set their timers themselves; expected `ticks`"):
        give(started, TimerInput("poll"))
    assert started.handle(started.initial(), ThreadTurn()) == ()
