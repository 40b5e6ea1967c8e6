"""The agent `strict`: what it answers, and its rewritten copy compared with the model itself."""

import pytest

from sdnloom.crosscheck.agent import AgentError, Close, Wait
from sdnloom.crosscheck.agents.load import load_agent
from sdnloom.crosscheck.agents.strict import StrictAgent
from sdnloom.crosscheck.exchange import run_case
from sdnloom.crosscheck.exploration import ExploreOptions, explore_agent
from sdnloom.crosscheck.output import concrete_output
from sdnloom.crosscheck.test_document import load_test
from sdnloom.network.openflow import V10, V13
from sdnloom.network.openflow.codec import decode, encode
from sdnloom.network.openflow.messages import BarrierRequest, Error, FlowMod, Hello, PacketIn
from sdnloom.network.packet import Ethernet, IPv4, Tcp, stack
from sdnloom.network.packet import encode as encode_packet

PROBE = encode_packet(stack(Ethernet(2, 1), IPv4(0x0A000001, 0x0A000002), Tcp(1024, 80)))


def connected(version: int = V10, buffers: int = 256) -> StrictAgent:
    agent = StrictAgent(version, buffers)
    assert list(agent.reset()) == [encode(Hello(), version)]
    assert list(agent.message(encode(Hello(), version))) == []
    return agent


@pytest.mark.parametrize(("buffers", "size"), [(256, 128), (0, 200)])
def test_a_miss_is_buffered_and_cut_only_with_buffers(buffers: int, size: int) -> None:
    (found,) = connected(buffers=buffers).packet(1, PROBE.ljust(200, b"\0"))
    assert isinstance(found, bytes)
    message = decode(found)
    assert isinstance(message, PacketIn)
    assert len(message.data) == size


def test_bytes_that_are_missing_are_waited_for() -> None:
    agent = connected()
    request = encode(BarrierRequest(xid=3), V10)
    assert list(agent.message(request + request[:3])) == [b"\x01\x13\0\x08\0\0\0\x03", Wait()]
    assert list(agent.message(request[3:])) == [b"\x01\x13\0\x08\0\0\0\x03"]


def test_a_header_with_a_length_below_8_ends_the_connection() -> None:
    error, closed = connected().message(b"\x01\x02\0\x07\0\0\0\x05")
    assert isinstance(error, bytes)
    assert closed == Close()
    assert decode(error) == Error("bad_request", "bad_len", b"\x01\x02\0\x07\0\0\0\x05", xid=5)


@pytest.mark.parametrize(("own", "theirs", "agree"), [(V10, 0, False), (V10, 4, True), (V13, 1, False), (V13, 6, True)])
def test_the_smaller_version_of_two_hellos_counts(own: int, theirs: int, agree: bool) -> None:
    agent = StrictAgent(own)
    agent.reset()
    found = list(agent.message(bytes((theirs, 0, 0, 8, 0, 0, 0, 9))))
    if agree:
        assert found == []
    else:
        assert found == [encode(Error("hello_failed", "incompatible", xid=9), own), Close()]


def test_an_error_quotes_the_request_as_it_came() -> None:
    request = bytearray(encode(FlowMod(priority=1, xid=7), V10))
    request[29] = 0xFF  # padding of the match, which no message of the codec has
    request[57] = 9  # no such command
    (error,) = connected().message(bytes(request))
    assert isinstance(error, bytes)
    assert decode(error) == Error("flow_mod_failed", "bad_command", bytes(request[:64]), xid=7)


def test_the_number_of_buffers_is_a_part_of_the_name() -> None:
    assert load_agent("strict").name == "strict"
    assert load_agent("strict:buffers=0").name == "strict:buffers=0"
    for wrong in ("buffers", "buffers=-1", "buffers=70000", "ports=3", "buffers=1e3"):
        with pytest.raises(AgentError, match="expected strict, or strict:buffers=N"):
            load_agent(f"strict:{wrong}")


@pytest.mark.parametrize(
    ("name", "classes", "outputs"),
    [("hello", 4, 2), ("short-symb", 97, 15), ("port-mod", 28, 10), ("timeouts", 28, 10), ("stats-request", 50, 23)],
)
def test_the_exploration_is_complete_and_agrees_with_the_model(name: str, classes: int, outputs: int) -> None:
    source, test = load_agent("strict"), load_test(name)
    partition = explore_agent(source, test, ExploreOptions(check_classes=2))
    assert partition.reasons == ()
    assert (len(partition.classes), len({each.output for each in partition.classes})) == (classes, outputs)
    with source.open(test.version) as agent:
        for each in partition.classes:
            expected = run_case(agent, test.case(each.case), test.version, each.witness)
            assert concrete_output(each.output, each.witness) == expected
