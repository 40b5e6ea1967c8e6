"""A connection gives whole messages, whatever the pieces that arrive."""

import socket
from collections.abc import Iterator

import pytest

from sdnloom.switches.connection import MessageConnection
from sdnloom.switches.errors import ConnectionClosedError, RealSwitchError, SwitchSilentError
from sdnloom.switches.reset_messages import header

Ends = tuple[MessageConnection, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield MessageConnection(ours), theirs


def test_pieces_become_messages(ends: Ends) -> None:
    connection, peer = ends
    one, two = header(1, 2, b"one"), header(1, 3, b"two")
    data = one + two
    for index in range(len(data)):
        peer.sendall(data[index : index + 1])
        assert connection.arrived() == {len(one) - 1: [one], len(data) - 1: [two]}.get(index, [])


def test_a_switch_that_sends_without_end_is_an_error(ends: Ends) -> None:
    connection, peer = ends
    for _ in range(20):
        peer.sendall(header(1, 10, b"") * 1_000)
        assert len(connection.arrived()) == 1_000
    peer.sendall(header(1, 10, b""))
    with pytest.raises(RealSwitchError, match="the switch sent more than 20,000 messages without a question"):
        connection.arrived()


def test_a_switch_that_reads_nothing_is_an_error(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdnloom.switches.connection.ANSWER_SECONDS", 0.05)
    ours, theirs = socket.socketpair()
    with ours, theirs, pytest.raises(SwitchSilentError, match="the switch reads nothing of what it is sent for"):
        MessageConnection(ours).send(bytes(8 << 20))


def test_nothing_in_time_is_an_error(ends: Ends) -> None:
    connection, peer = ends
    peer.sendall(header(1, 2, b"one")[:-1])
    with pytest.raises(SwitchSilentError, match=r"^the switch sent nothing for 0\.01 s where an answer is due$"):
        connection.next(0.01)
    peer.sendall(b"e")
    assert connection.next() == header(1, 2, b"one")


def test_a_closed_connection_gives_its_messages_first(ends: Ends) -> None:
    connection, peer = ends
    peer.sendall(header(1, 2))
    peer.close()
    assert connection.next() == header(1, 2)
    assert not connection.ended
    with pytest.raises(ConnectionClosedError):
        connection.next()
    assert connection.ended
    assert not connection.broken


def test_half_a_message_before_the_end_is_given_as_it_is(ends: Ends) -> None:
    connection, peer = ends
    peer.sendall(header(1, 2, b"one")[:-1])
    peer.close()
    assert connection.next() == header(1, 2, b"one")[:-1]
    assert connection.broken
    assert connection.arrived() == []
    assert connection.ended


@pytest.mark.parametrize("length", [0, 7])
def test_a_length_below_that_of_the_header_makes_the_rest_one_message(ends: Ends, length: int) -> None:
    connection, peer = ends
    rest = bytes((1, 2, 0, length, 0, 0, 0, 0, 9))
    peer.sendall(header(1, 2) + rest)
    assert connection.arrived() == [header(1, 2), rest]
    assert connection.broken


def test_bytes_to_a_peer_that_is_gone_are_no_error(ends: Ends) -> None:
    connection, peer = ends
    peer.close()
    connection.send(b"x")
    connection.send(b"x")
    with pytest.raises(ConnectionClosedError):
        connection.next()


def test_messages_of_a_peer_that_did_not_read_all_are_kept(ends: Ends) -> None:
    connection, peer = ends
    connection.send(b"unread")
    peer.sendall(header(1, 2))
    peer.close()
    assert connection.next() == header(1, 2)
    with pytest.raises(ConnectionClosedError):
        connection.next()
