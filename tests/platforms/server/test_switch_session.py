"""The controller's side of a connection: the handshake, and bytes of any kind."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.network.openflow import (
    V10,
    V13,
    BarrierReply,
    EchoReply,
    EchoRequest,
    Error,
    FeaturesReply,
    FeaturesRequest,
    Hello,
    Match,
    OpenFlowMessage,
    PacketIn,
    PortDesc,
    PortDescReply,
    PortDescRequest,
    PortStatus,
    decode,
    encode,
)
from sdnloom.network.program import MessageIn, SwitchDown, SwitchUp
from sdnloom.platforms.server.switch_session import SessionStep, SwitchSession

NAMES = {1: "s1", 0xABC: "core"}
PORTS = (PortDesc(1, 5, "a"), PortDesc(2, 6, "b"))


def feed(session: SwitchSession, *messages: OpenFlowMessage) -> list[SessionStep]:
    return list(session.receive(b"".join(encode(each, session.version) for each in messages)))


def answer(step: SessionStep, version: int) -> OpenFlowMessage:
    return decode(step.answers, version)


def joined(version: int) -> SwitchSession:
    session = SwitchSession(version, NAMES)
    feed(session, Hello(), FeaturesReply(1), *([PortDescReply()] if version == V13 else []))
    assert session.switch == "s1"
    return session


def test_a_switch_of_1_0_joins_with_its_features() -> None:
    session = SwitchSession(V10, NAMES)
    assert decode(session.greeting(), V10) == Hello()
    features = FeaturesReply(0xABC, 256, 1, 7, ports=PORTS)
    greeted, told = feed(session, Hello(), features)
    assert answer(greeted, V10) == FeaturesRequest()
    assert told == SessionStep(inputs=(SwitchUp("core", 0xABC, PORTS, features),))
    assert session.leave() == (SwitchDown("core"),)


def test_a_switch_of_1_3_joins_with_all_parts_of_its_ports() -> None:
    session = SwitchSession(V13, NAMES)
    features = FeaturesReply(1, 0, 254)
    parts = PortDescReply(PORTS[:1], flags=1), PortDescReply(PORTS[1:])
    greeted, told, first, second = feed(session, Hello(), features, *parts)
    assert answer(greeted, V13) == FeaturesRequest()
    assert answer(told, V13) == PortDescRequest()
    assert first == SessionStep()
    assert second.inputs == (SwitchUp("s1", 1, PORTS, features),)


def test_a_program_sees_nothing_of_a_switch_that_has_not_joined() -> None:
    session = SwitchSession(V10, NAMES)
    steps = feed(session, Hello(), PacketIn(Match.of(in_port=1)), PortStatus(0, PORTS[0]))
    assert [step.inputs for step in steps] == [(), (), ()]
    assert session.leave() == ()


@pytest.mark.parametrize("version", [V10, V13])
def test_messages_of_a_joined_switch_are_inputs_and_echo_requests_are_answered(version: int) -> None:
    packet = PacketIn(Match.of(in_port=2), b"data", 4, xid=9)
    came, echo, replied = feed(joined(version), packet, EchoRequest(b"x", xid=3), BarrierReply(xid=4))
    assert came == SessionStep(inputs=(MessageIn("s1", packet),))
    assert answer(echo, version) == EchoReply(b"x", xid=3)
    assert replied == SessionStep(inputs=(MessageIn("s1", BarrierReply(xid=4)),))


def bitmap(*versions: int) -> bytes:
    return b"\0\1\0\x08" + sum(1 << each for each in versions).to_bytes(4, "big")


@pytest.mark.parametrize(
    ("version", "offered", "body", "accepted"),
    [
        (V10, 1, b"", True),
        (V10, 4, b"", True),
        (V10, 6, bitmap(1, 4, 6), True),
        (V10, 6, bitmap(4, 6), False),
        (V13, 4, b"", True),
        (V13, 6, b"", True),
        (V13, 1, b"", False),
        (V13, 1, bitmap(1), False),
        (V13, 6, b"\0\7\0\6ab\0\0" + bitmap(4), True),
        (V13, 6, b"\0\7\0\6ab\0\0" + bitmap(1, 5), False),
        (V13, 4, b"\0\7\0\0", True),
        (V13, 4, b"\0\1\0\4", True),
        (V13, 4, b"\0\1", True),
    ],
)
def test_a_hello_is_accepted_if_it_allows_the_version(version: int, offered: int, body: bytes, accepted: bool) -> None:
    session = SwitchSession(version, NAMES)
    (step,) = session.receive(encode(Hello(body, xid=7), offered))
    if accepted:
        assert answer(step, version) == FeaturesRequest()
        assert not session.over
    else:
        refused = answer(step, version)
        assert isinstance(refused, Error)
        assert (refused.type, refused.code, refused.xid) == (
            "hello_failed",
            "incompatible",
            7,
        )
        assert session.over


def test_a_connection_that_does_not_begin_with_hello_is_over() -> None:
    session = SwitchSession(V10, NAMES)
    assert feed(session, EchoRequest(), Hello()) == [SessionStep()]
    assert session.over == "the first message is no hello"


def test_a_switch_of_no_scenario_is_refused() -> None:
    session = SwitchSession(V10, NAMES)
    feed(session, Hello(), FeaturesReply(2))
    assert session.over == "datapath id 0x2; expected one of 0x1, 0xabc"
    assert session.leave() == ()


def test_a_message_that_cannot_be_decoded_is_answered_with_an_error() -> None:
    session = joined(V10)
    broken = b"\1\x0a\0\x0c\0\0\0\5abcd"  # a PacketIn of four bytes
    refused, after = session.receive(broken + encode(BarrierReply(), V10))
    error = answer(refused, V10)
    assert isinstance(error, Error)
    assert (error.xid, error.data) == (5, broken)
    assert after == SessionStep(inputs=(MessageIn("s1", BarrierReply()),))


def test_an_error_is_never_answered_with_an_error() -> None:
    assert list(joined(V10).receive(b"\1\1\0\x09\0\0\0\5a")) == [SessionStep()]


def test_bytes_that_cannot_be_divided_end_the_session() -> None:
    session = joined(V13)
    after, fault = session.receive(encode(BarrierReply(), V13) + b"\4\0\0\7\0\0\0\1more")
    assert after.inputs == (MessageIn("s1", BarrierReply()),)
    assert isinstance(answer(fault, V13), Error)
    assert session.over
    assert list(session.receive(encode(BarrierReply(), V13))) == []


def streams() -> st.SearchStrategy[bytes]:
    """Bytes that are often headers of whole messages."""
    message = st.builds(
        lambda version, kind, body: bytes([version, kind]) + (8 + len(body)).to_bytes(2, "big") + b"\0\0\0\1" + body,
        st.sampled_from([1, 4, 0, 6]),
        st.integers(0, 30),
        st.binary(max_size=60),
    )
    return st.lists(message | st.binary(max_size=8), max_size=6).map(b"".join)


@given(streams(), st.sampled_from([V10, V13]), st.booleans(), st.randoms(use_true_random=False))
def test_any_bytes_are_accepted_however_they_are_cut(
    data: bytes, version: int, is_joined: bool, chance: random.Random
) -> None:
    def session() -> SwitchSession:
        return joined(version) if is_joined else SwitchSession(version, NAMES)

    whole, cut = session(), session()
    steps, at = [], 0
    while at < len(data):
        size = chance.randrange(1, 20)
        steps += list(cut.receive(data[at : at + size]))
        at += size
    assert steps == list(whole.receive(data))
    assert cut.over == whole.over
