"""A recorded agent passes everything on and keeps it."""

from collections.abc import Iterable, Iterator

import pytest

from sdnloom.crosscheck.agent import Crash, Observed
from sdnloom.crosscheck.recorded_agent import Exchanged, RecordedAgent


class Echo:
    """Answers each message with its bytes reversed, floods frames, and crashes at an empty message."""

    def reset(self) -> Iterable[Observed]:
        return [b"hello"]

    def message(self, data: bytes) -> Iterator[Observed]:
        yield data[::-1]
        if len(data) < 2:
            raise ValueError("short")

    def packet(self, port: int, frame: bytes) -> Iterable[Observed]:
        return [(other, frame) for other in (1, 2, 3) if other != port]

    def advance(self, milliseconds: int) -> Iterable[Observed]:
        return []


def test_everything_is_passed_on_and_kept_with_its_time() -> None:
    agent = RecordedAgent(Echo())
    assert list(agent.reset()) == [b"hello"]
    assert list(agent.message(b"ab")) == [b"ba"]
    assert list(agent.advance(1500)) == []
    assert list(agent.packet(2, b"x")) == [(1, b"x"), (3, b"x")]
    assert agent.exchange == [
        Exchanged(0, True, b"hello"),
        Exchanged(0, False, b"ab"),
        Exchanged(0, True, b"ba"),
        Exchanged(1500, False, (2, b"x")),
        Exchanged(1500, True, (1, b"x")),
        Exchanged(1500, True, (3, b"x")),
    ]


def test_a_crash_is_kept_after_what_came_before_it_and_raised_again() -> None:
    agent = RecordedAgent(Echo())
    seen = []
    with pytest.raises(ValueError, match="short"):
        seen.extend(agent.message(b"a"))
    assert agent.exchange == [
        Exchanged(0, False, b"a"),
        Exchanged(0, True, b"a"),
        Exchanged(0, True, Crash("ValueError: short")),
    ]


def test_a_reset_forgets_the_exchange() -> None:
    agent = RecordedAgent(Echo())
    list(agent.advance(10))
    list(agent.message(b"ab"))
    list(agent.reset())
    assert agent.exchange == [Exchanged(0, True, b"hello")]
