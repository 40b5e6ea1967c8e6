"""The messages of a framer do not depend on how the stream is cut, and an incomplete message is visible."""

from hypothesis import given
from hypothesis import strategies as st

from sdnloom.network.openflow import V10, V13, EchoRequest, Framer, Hello, encode
from tests.network.openflow.generators import ANY

streams = st.lists(ANY[V10].map(lambda m: encode(m, V10)) | ANY[V13].map(lambda m: encode(m, V13)), max_size=4)


@given(streams, st.data())
def test_the_cut_of_a_stream_does_not_matter(wires: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(wires)
    framer, found = Framer(), ()
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        framer, more = framer.push(stream[:size])
        found, stream = found + more, stream[size:]
    assert found == tuple(wires)
    assert framer == Framer()
    assert not framer.waits


def test_waiting_for_more_bytes_is_visible() -> None:
    wire = encode(EchoRequest(b"12345"), V10)
    expected = [8 - n for n in range(1, 4)] + [13 - n for n in range(4, 13)]
    for size, missing in enumerate(expected, start=1):
        framer, found = Framer().push(wire[:size])
        assert (framer.buffer, found) == (wire[:size], ())
        assert framer.waits
        assert framer.missing == missing
    assert Framer().missing == 0


def test_a_length_that_is_too_small_ends_the_stream_after_the_messages_before_it() -> None:
    hello = encode(Hello(), V10)
    framer, found = Framer().push(hello + b"\x01\x00\x00\x07\0\0\0\0" + hello)
    assert found == (hello,)
    assert not framer.waits
    assert str(framer.fault) == "bad_request/bad_len: the header's length is 7: expected 8 or more"
    assert framer.push(hello) == (framer, ())


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_any_stream_keeps_all_its_bytes_up_to_a_fault(chunks: list[bytes]) -> None:
    framer, found = Framer(), ()
    for chunk in chunks:
        framer, more = framer.push(chunk)
        found += more
    kept = b"".join(found) + framer.buffer
    assert kept == b"".join(chunks)[: len(kept)]
    assert framer.fault or len(kept) == sum(map(len, chunks))
    assert not (framer.waits and framer.fault)
