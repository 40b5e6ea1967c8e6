"""A switch on a socket: what it does is seen as far as OpenFlow allows, and its ends are told apart."""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sdnloom.crosscheck.agent import Agent, AgentError, Close, Crash, Wait
from sdnloom.crosscheck.agents.load import AgentSource, load_agent
from sdnloom.crosscheck.agents.socket_agent import UNSEEN_COUNTERS, SocketAgent
from sdnloom.crosscheck.black_box import chosen_inputs, try_inputs
from sdnloom.crosscheck.output import seen_output
from sdnloom.crosscheck.test_document import load_test
from sdnloom.network.openflow import ApplyActions, FlowMod, Match, Output, PacketOut
from sdnloom.network.openflow.codec import decode, encode
from sdnloom.network.openflow.constants import V10, V13
from sdnloom.switches.openvswitch import OpenVswitch
from sdnloom.switches.reset_messages import header, plain_hello
from tests.crosscheck.running_switch import TEST, running_switch

FRAME = bytes((0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0x88, 0xB5)) + bytes(46)
ECHO = header(V10, 2, xid=5)
ECHOED = header(V10, 3, xid=5)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("switch") / "s"
    with running_switch(f"unix:{place}"):
        yield place


@pytest.fixture
def agent(path: Path) -> Iterator[Agent]:
    with load_agent(f"unix:{path}").open(V10) as opened:
        greet(opened)
        yield opened


def greet(agent: Agent) -> None:
    assert list(agent.reset()) == [header(V10, 0)]
    assert list(agent.message(plain_hello(V10))) == []


def packet_out(port: int) -> bytes:
    return encode(PacketOut(data=FRAME, in_port=1, actions=(Output(port),)), V10)


def add(port: int) -> bytes:
    return encode(FlowMod(Match(), instructions=(ApplyActions((Output(port),)),)), V10)


def test_of_a_frame_the_port_is_seen(agent: Agent) -> None:
    assert agent.message(packet_out(2)) == [(2, b"")]
    assert agent.message(packet_out(0xFFFFFFFB)) == [(2, b""), (3, b"")]
    assert agent.message(ECHO) == [ECHOED]


def test_a_probe_goes_through_the_flow_table(agent: Agent) -> None:
    (miss,) = agent.packet(1, FRAME)
    assert isinstance(miss, bytes)
    assert decode(miss, V10).data == FRAME  # type: ignore[attr-defined]
    assert agent.message(add(3)) == []
    assert agent.packet(1, FRAME) == [(3, b"")]


def test_a_reset_deletes_entries_and_sets_the_configuration(agent: Agent) -> None:
    agent.message(add(3))
    agent.message(header(V10, 9, bytes((0, 1, 0, 9))))
    greet(agent)
    assert len(list(agent.packet(1, FRAME))) == 1
    assert agent.message(header(V10, 7)) == [header(V10, 8, bytes((0, 0, 0, 128)))]


def test_half_a_message_is_a_wait_and_the_next_test_is_not_disturbed(agent: Agent) -> None:
    assert agent.message(ECHO + ECHO[:7]) == [ECHOED, Wait()]
    greet(agent)
    assert agent.message(ECHO) == [ECHOED]


def test_a_closed_connection_is_a_close(agent: Agent) -> None:
    assert agent.message(ECHO + bytes((1, 2, 0, 7, 0, 0, 0, 0))) == [ECHOED, Close()]
    greet(agent)


def test_a_fresh_connection_may_start_with_anything(agent: Agent) -> None:
    agent.reset()
    assert agent.message(ECHO) == [ECHOED]  # this switch does not insist on a Hello
    assert agent.message(ECHO) == [ECHOED]
    greet(agent)


def test_time_is_real(agent: Agent) -> None:
    assert agent.advance(1) == []


def test_what_cannot_be_seen_is_said(agent: Agent) -> None:
    assert isinstance(agent, SocketAgent)
    assert agent.unseen == ("frame.data", *UNSEEN_COUNTERS)


def test_the_end_of_the_process_is_a_crash_and_ends_the_trial(tmp_path: Path) -> None:
    test = load_test(str(TEST))
    with running_switch(f"unix:{tmp_path / 's'}", "abort"), load_agent(f"unix:{tmp_path / 's'}").open(V10) as agent:
        greet(agent)
        (crash,) = agent.message(packet_out(0xFFFFFFFA))
        assert isinstance(crash, Crash)
        assert crash.reason == "no switch listens there (Connection refused)"
    with (
        running_switch(f"unix:{tmp_path / 't'}", "abort"),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("sdnloom.switches.controller._CONNECT_SECONDS", 0.1)
        patch.setattr("sdnloom.switches.endpoint.ListeningSwitch.patience", 0.1)
        tried = try_inputs(load_agent(f"unix:{tmp_path / 't'}"), test, chosen_inputs(test))
    assert tried.classes[-1].output[0][0].kind == "crash"
    assert tried.reasons[1].startswith("the switch cannot be tried any further: agent unix:")


def test_a_switch_that_hangs_up_is_a_close(tmp_path: Path) -> None:
    with running_switch(f"unix:{tmp_path / 's'}", "hang-up"), load_agent(f"unix:{tmp_path / 's'}").open(V10) as agent:
        greet(agent)
        assert agent.message(packet_out(0xFFFFFFFB)) == [Close()]
        greet(agent)


def test_without_counters_frames_are_unseen(tmp_path: Path) -> None:
    address = f"unix:{tmp_path / 's'}"
    with running_switch(address, "no-counters"), load_agent(address).open(V10) as agent:
        assert isinstance(agent, SocketAgent)
        assert agent.unseen == ("frame", *UNSEEN_COUNTERS)
        greet(agent)
        assert agent.message(packet_out(2)) == []


def test_without_output_to_table_cases_with_probes_are_skipped(tmp_path: Path) -> None:
    test = load_test(str(TEST))
    with running_switch(f"unix:{tmp_path / 's'}", "no-table"):
        tried = try_inputs(load_agent(f"unix:{tmp_path / 's'}"), test, chosen_inputs(test, (), 6))
    assert [each.case for each in tried.classes] == ["packet_out", "set_config"] * 2
    assert tried.reasons == (
        "a black box: 4 inputs tried",
        "case flow_mod was skipped: the switch refuses a Packet Out to TABLE, so that it cannot be given a probe",
    )


@pytest.mark.parametrize("form", ["tcp:{}", "tcp:127.0.0.1:{}", "tcp:localhost:{}"])
def test_a_switch_on_a_tcp_port(form: str) -> None:
    with running_switch("tcp:0") as port, load_agent(form.format(port)).open(V10) as agent:
        greet(agent)
        assert agent.message(packet_out(2)) == [(2, b"")]


def test_a_switch_of_another_version_is_an_error(path: Path) -> None:
    with pytest.raises(AgentError, match=r"s: the switch does not speak OpenFlow 1\.3$"):
        load_agent(f"unix:{path}").open(V13).__enter__()


def test_a_switch_that_connects_to_us() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    source = load_agent(f"listen:{port}")
    with running_switch(f"connect:{port}"), source.open(V10) as agent:
        greet(agent)
        assert agent.message(packet_out(2)) == [(2, b"")]
        assert agent.message(bytes((1, 2, 0, 7, 0, 0, 0, 0))) == [Close()]
        greet(agent)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("tcp:10.0.0.1:6653", "tcp:10.0.0.1:6653: expected a switch on this machine, such as tcp:6653 or"),
        ("tcp:example.com:6653", "tcp:example.com:6653: expected a switch on this machine"),
        ("tcp:0.0.0.0:6653", "tcp:0.0.0.0:6653: expected a switch on this machine"),
        ("tcp:", "tcp:: expected tcp:PORT or tcp:127.0.0.1:PORT with a port from 1 to 65535"),
        ("tcp:65536", "tcp:65536: expected tcp:PORT or"),
        ("tcp:x", "tcp:x: expected tcp:PORT or"),
        ("listen:0", "listen:0: expected listen:PORT with a port from 1 to 65535"),
        ("unix:", "unix:: expected unix:PATH"),
        (f"unix:/{'x' * 200}", "unix:/xxx"),
        ("unix:/etc/passwd", "unix:/etc/passwd: the file is no socket"),
    ],
)
def test_a_place_that_is_none_is_refused(name: str, reason: str) -> None:
    with pytest.raises(AgentError) as caught:
        load_agent(name)
    assert str(caught.value).startswith(f"agent {reason}")


def test_a_place_where_nobody_listens_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdnloom.switches.controller._CONNECT_SECONDS", 0.05)
    source = load_agent(f"unix:{tmp_path / 's'}")
    with pytest.raises(AgentError, match=r"s: no switch listens there \(No such file or directory\)$"):
        source.open(V10).__enter__()
    with pytest.raises(AgentError, match=r"cannot be explored: it is a black box"):
        source.symbolic(V10)


@pytest.mark.parametrize("name", ["packet-out", "flow-mod", "cs-flow-mods", "port-mod", "short-symb", "stats-request"])
def test_open_vswitch_on_its_socket_does_what_it_does_in_the_harness(
    ovs: tuple[AgentSource, AgentSource], name: str
) -> None:
    test = load_test(name)
    inputs = list(chosen_inputs(test, (), 6, seed=1))
    on_socket, in_harness = (try_inputs(source, test, inputs) for source in ovs)
    assert on_socket.unseen == ("frame.data", *UNSEEN_COUNTERS)
    for one, other in zip(on_socket.classes, in_harness.classes, strict=True):
        assert seen_output(one.output, on_socket.unseen) == seen_output(other.output, on_socket.unseen)
    assert on_socket.reasons == in_harness.reasons == ("a black box: 6 inputs tried",)


@pytest.fixture(scope="module")
def ovs(need_tool: Callable[..., None]) -> Iterator[tuple[AgentSource, AgentSource]]:
    need_tool("ovs-vswitchd", "ovsdb-server")
    with OpenVswitch(V10) as switch:
        yield load_agent(f"unix:{switch.directory}/br0.mgmt"), load_agent("openvswitch")
