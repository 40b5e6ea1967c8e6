"""Encoded messages decode to the same messages, and the decoder decodes or refuses every byte string."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.network import openflow
from sdnloom.network.openflow import (
    V10,
    V13,
    VERSIONS,
    DecodeError,
    Hello,
    OpaqueMessage,
    OpenFlowMessage,
    StatsReply,
    StatsRequest,
    decode,
    encode,
)
from sdnloom.network.openflow.codec import _BY_CLASS
from tests.network.openflow.generators import ANY, KINDS, MESSAGES

NAMES = {name: getattr(openflow, name) for name in openflow.__all__}


def id_of(value: object) -> str:
    return value.__name__ if isinstance(value, type) else f"1.{ {V10: 0, V13: 3}[value] }"  # type: ignore[index]


@pytest.mark.slow
@pytest.mark.parametrize(("version", "kind"), KINDS, ids=id_of)
@given(data=st.data())
@settings(max_examples=30)
def test_a_message_survives_the_wire_and_prints_as_python(
    version: int, kind: type[OpenFlowMessage], data: st.DataObject
) -> None:
    message = data.draw(MESSAGES[version][kind])
    wire = encode(message, version)
    assert decode(wire) == message
    assert decode(wire, version) == message
    assert encode(decode(wire), version) == wire
    assert eval(repr(message), dict(NAMES)) == message
    assert hash(decode(wire)) == hash(message)


def test_every_message_kind_is_generated() -> None:
    for version in VERSIONS:
        assert set(MESSAGES[version]) == set(_BY_CLASS[version]) | {OpaqueMessage}
    abstract = {OpenFlowMessage, StatsRequest, StatsReply}
    everything = {
        kind for kind in NAMES.values() if isinstance(kind, type) and issubclass(kind, OpenFlowMessage)
    } - abstract
    assert everything == set(MESSAGES[V10]) | set(MESSAGES[V13])


@given(st.binary(max_size=300))
@settings(max_examples=500)
def test_arbitrary_bytes_decode_or_are_refused(data: bytes) -> None:
    try:
        message = decode(data)
    except DecodeError:
        return
    assert decode(encode(message, data[0])) == message


@pytest.mark.slow
@given(st.sampled_from(VERSIONS), st.integers(0, 30), st.binary(max_size=200))
@settings(max_examples=1000)
def test_arbitrary_bodies_of_every_type_decode_or_are_refused(version: int, code: int, body: bytes) -> None:
    wire = bytes([version, code]) + (8 + len(body)).to_bytes(2, "big") + bytes(4) + body
    survives_or_is_refused(wire)


@pytest.mark.slow
@given(st.sampled_from(VERSIONS).flatmap(lambda version: ANY[version].map(lambda m: encode(m, version))), st.data())
@settings(max_examples=600)
def test_damaged_messages_decode_or_are_refused(wire: bytes, data: st.DataObject) -> None:
    damaged = bytearray(wire)
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(2, len(damaged) - 1))
        damaged[position] = data.draw(st.one_of(st.integers(0, 255), st.sampled_from([0, 1, 4, 8, 16, 255])))
    damaged = damaged[: data.draw(st.integers(8, len(damaged)))]
    if data.draw(st.booleans()):
        damaged[2:4] = len(damaged).to_bytes(2, "big")
    survives_or_is_refused(bytes(damaged))


def survives_or_is_refused(wire: bytes) -> None:
    try:
        message = decode(wire)
    except DecodeError as error:
        message = error.reply(wire)  # which has a wire form only when the version has that error
    assert decode(encode(message, wire[0])) == message
    assert eval(repr(message), dict(NAMES)) == message


@given(st.sampled_from(VERSIONS).flatmap(lambda version: ANY[version].map(lambda m: encode(m, version))), st.data())
def test_every_cut_message_is_refused_as_too_short(wire: bytes, data: st.DataObject) -> None:
    with pytest.raises(DecodeError) as refused:
        decode(wire[: data.draw(st.integers(0, len(wire) - 1))])
    assert (refused.value.type, refused.value.code) == ("bad_request", "bad_len")


@pytest.mark.parametrize("version", [0, 2, 3, 5, 6, 255])
def test_hello_of_any_version_is_understood_and_nothing_else(version: int) -> None:
    assert decode(encode(Hello(b"any", xid=3), version)) == Hello(b"any", xid=3)
    with pytest.raises(DecodeError, match=f"bad_request/bad_version: version {version}: expected 1 or 4"):
        decode(bytes([version, 5, 0, 8, 0, 0, 0, 0]))


def test_a_message_of_another_version_than_agreed_is_refused() -> None:
    wire = encode(openflow.FeaturesRequest(), V13)
    with pytest.raises(DecodeError, match="bad_request/bad_version: version 4: expected 1"):
        decode(wire, V10)
