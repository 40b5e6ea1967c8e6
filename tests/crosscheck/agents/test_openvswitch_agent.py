"""Open vSwitch as an agent: each reset is clean, and crash, close and wait are seen as such."""

import os
import signal
import struct
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sdnloom.crosscheck.agent import AgentError, Close, Crash, Observed, Wait
from sdnloom.crosscheck.agents.load import load_agent
from sdnloom.crosscheck.agents.openvswitch import OpenVswitchAgent
from sdnloom.crosscheck.exchange import run_case
from sdnloom.crosscheck.test_document import built_in_tests, load_test
from sdnloom.network.openflow import ApplyActions, FlowMod, FlowStatsRequest, Match, Output, PacketOut, PortStatsRequest
from sdnloom.network.openflow.codec import decode, encode
from sdnloom.network.openflow.constants import V10, V13
from sdnloom.switches.connection import MessageConnection
from sdnloom.switches.control_socket import ControlSocket
from sdnloom.switches.reset_messages import header, plain_hello

FRAME = bytes((0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0x88, 0xB5)) + bytes(46)
ECHO = header(V10, 2, xid=5)
ECHOED = header(V10, 3, xid=5)


@pytest.fixture(scope="module")
def agent(need_tool: Callable[..., None]) -> Iterator[OpenVswitchAgent]:
    need_tool("ovs-vswitchd", "ovsdb-server")
    with load_agent("openvswitch").open(V10) as running:
        assert isinstance(running, OpenVswitchAgent)
        yield running


@pytest.fixture
def greeted(agent: OpenVswitchAgent) -> OpenVswitchAgent:
    assert agent.reset() == [plain_hello_of_the_switch(agent)]
    assert agent.message(plain_hello(V10)) == []
    return agent


def plain_hello_of_the_switch(agent: OpenVswitchAgent) -> Observed:
    (hello,) = agent._welcome
    assert isinstance(hello, bytes)
    assert hello[:4] == bytes((V10, 0, 0, 8))
    return hello


def add(**fields: object) -> bytes:
    return encode(FlowMod(Match(), instructions=(ApplyActions((Output(2),)),), **fields), V10)  # type: ignore[arg-type]


def flows(agent: OpenVswitchAgent) -> int:
    (reply,) = agent.message(encode(FlowStatsRequest(), V10))
    return len(decode(reply, V10).flows)  # type: ignore[arg-type, attr-defined]


def test_a_reset_deletes_entries(greeted: OpenVswitchAgent) -> None:
    assert greeted.message(add()) == []
    assert flows(greeted) == 1
    assert greeted.packet(1, FRAME) == [(2, FRAME)]
    greeted.reset()
    greeted.message(plain_hello(V10))
    assert flows(greeted) == 0


def test_reports_of_removed_entries_arrive_with_the_message_that_removes_them(greeted: OpenVswitchAgent) -> None:
    greeted.message(add(flags=1))
    (removed,) = greeted.message(encode(FlowMod(Match(), command=3), V10))
    assert isinstance(removed, bytes)
    assert removed[1] == 11


def test_reports_of_a_reset_are_not_left_for_the_next_test(greeted: OpenVswitchAgent) -> None:
    greeted.message(add(flags=1))
    greeted.reset()
    greeted.message(plain_hello(V10))
    assert greeted.message(ECHO) == [ECHOED]


def test_time_passes_only_when_asked(greeted: OpenVswitchAgent) -> None:
    greeted.message(add(hard_timeout=2, flags=1))
    assert greeted.advance(1000) == []
    (removed,) = greeted.advance(1500)
    assert isinstance(removed, bytes)
    assert removed[1] == 11


def test_half_a_message_is_a_wait_and_the_next_test_is_not_disturbed(greeted: OpenVswitchAgent) -> None:
    assert greeted.message(ECHO + ECHO[:7]) == [ECHOED, Wait()]
    greeted.reset()
    greeted.message(plain_hello(V10))
    assert greeted.message(ECHO) == [ECHOED]


def test_a_length_below_8_closes_the_connection(greeted: OpenVswitchAgent) -> None:
    assert greeted.message(bytes((V10, 2, 0, 7, 0, 0, 0, 0))) == [Close()]
    greeted.reset()
    greeted.message(plain_hello(V10))
    assert greeted.message(ECHO) == [ECHOED]


def test_another_version_is_refused_in_that_version(greeted: OpenVswitchAgent) -> None:
    bad_version = struct.pack("!HH", 1, 0)
    assert greeted.message(header(V13, 20)) == [header(V13, 1, bad_version + header(V13, 20))]


@pytest.mark.parametrize("version", [2, V13])
def test_a_hello_of_a_later_version_on_a_fresh_connection_is_accepted(agent: OpenVswitchAgent, version: int) -> None:
    agent.reset()
    assert agent.message(plain_hello(version)) == []
    assert agent.message(ECHO) == [ECHOED]


def test_a_fresh_connection_that_starts_with_another_message_is_closed(agent: OpenVswitchAgent) -> None:
    agent.reset()
    assert agent.message(ECHO) == [Close()]
    agent.reset()
    assert agent.message(plain_hello(0)) == [Close()]


def test_a_frame_before_the_hello_has_no_effect(agent: OpenVswitchAgent) -> None:
    agent.reset()
    assert agent.packet(1, FRAME) == []
    assert agent.message(plain_hello(V10)) == []
    assert agent.message(ECHO) == [ECHOED]


def test_counters_of_ports_are_those_of_one_test(greeted: OpenVswitchAgent) -> None:
    request = encode(PortStatsRequest(2), V10)
    packet_out = encode(PacketOut(data=FRAME, actions=(Output(2),)), V10)
    for _ in range(2):
        assert greeted.message(packet_out) == [(2, FRAME)]
        (reply,) = greeted.message(request)
        assert decode(reply, V10).ports[0].tx_packets == 1  # type: ignore[arg-type, attr-defined]
        greeted.reset()
        greeted.message(plain_hello(V10))
    (reply,) = greeted.message(request)
    assert decode(reply, V10).ports[0].tx_packets == 0  # type: ignore[arg-type, attr-defined]


def test_local_has_its_number_of_the_version(greeted: OpenVswitchAgent) -> None:
    assert greeted.message(encode(PacketOut(data=FRAME, actions=(Output(0xFFFFFFFE),)), V10)) == [(0xFFFE, FRAME)]


def test_an_interrupted_step_leaves_nothing_for_the_next_test(
    greeted: OpenVswitchAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> bytes:
        raise KeyboardInterrupt

    for reader in (MessageConnection, ControlSocket):
        monkeypatch.setattr(reader, "next" if reader is MessageConnection else "_reply", interrupted)
        with pytest.raises(KeyboardInterrupt):
            greeted.packet(1, FRAME)
        monkeypatch.undo()
        greeted.reset()
        greeted.message(plain_hello(V10))
        assert greeted.message(ECHO) == [ECHOED]


def test_a_switch_that_ends_has_crashed_and_is_started_again(need_tool: Callable[..., None]) -> None:
    need_tool("ovs-vswitchd", "ovsdb-server")
    with load_agent("openvswitch").open(V10) as agent:
        assert isinstance(agent, OpenVswitchAgent)
        agent.reset()
        agent.message(plain_hello(V10))
        os.kill(agent._switch.process_ids["ovs-vswitchd"], signal.SIGABRT)
        (crash,) = agent.message(ECHO)
        assert isinstance(crash, Crash)
        assert crash.reason.startswith("ovs-vswitchd ended (SIGABRT): ")
        agent.reset()
        agent.message(plain_hello(V10))
        assert agent.message(ECHO) == [ECHOED]


def test_a_role_of_one_test_is_unknown_in_the_next(need_tool: Callable[..., None]) -> None:
    need_tool("ovs-vswitchd", "ovsdb-server")
    master = header(V13, 24, struct.pack("!I4xQ", 2, 9))
    older = header(V13, 24, struct.pack("!I4xQ", 2, 3))
    with load_agent("openvswitch").open(V13) as agent:
        for request in (master, older):
            agent.reset()
            agent.message(plain_hello(V13))
            (reply,) = agent.message(request)
            assert isinstance(reply, bytes)
            assert reply[1] == 25


@pytest.mark.parametrize("name", [name for name in built_in_tests() if not name.endswith("-13")])
def test_each_harmless_input_has_the_same_output_again(agent: OpenVswitchAgent, name: str) -> None:
    test = load_test(name)
    for case in test.cases:
        outputs = {run_case(agent, case, V10, case.defaults()) for _ in range(2)}
        assert len(outputs) == 1


def test_it_cannot_be_explored_and_nothing_follows_its_name() -> None:
    with pytest.raises(AgentError, match=r"^agent openvswitch cannot be explored: it is a black box"):
        load_agent("openvswitch").symbolic(V10)
    with pytest.raises(AgentError, match=r"^agent openvswitch:x: nothing may follow the name$"):
        load_agent("openvswitch:x")


def test_sigterm_ends_the_switch_and_removes_its_folder() -> None:
    before = signal.getsignal(signal.SIGTERM)
    folders = set(Path(tempfile.gettempdir()).glob("sdnloom-ovs-*"))
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with pytest.raises(KeyboardInterrupt), load_agent("openvswitch").open(1):
            signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)
    assert set(Path(tempfile.gettempdir()).glob("sdnloom-ovs-*")) <= folders
