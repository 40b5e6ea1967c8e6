"""An agent that keeps what went in and out of another one, byte by byte: the exchange of one run.

An output is normalised; this is what really passed. Captures for Wireshark are made of it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sdnloom.crosscheck.agent import Agent, Crash, Observed


@dataclass(frozen=True, slots=True)
class Exchanged:
    """A message, a frame on a port or an event, so many milliseconds after the connection; by the agent or to it."""

    milliseconds: int
    by_agent: bool
    what: Observed


class RecordedAgent:
    """Passes everything on to an agent. `exchange` is what passed since the last reset."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._now = 0
        self.exchange: list[Exchanged] = []

    def reset(self) -> Iterable[Observed]:
        """Reset the agent, and forget what has passed."""
        self._now, self.exchange = 0, []
        return self._noted(self._agent.reset)

    def message(self, data: bytes) -> Iterable[Observed]:
        """Pass a message on."""
        self.exchange.append(Exchanged(self._now, False, bytes(data)))
        return self._noted(lambda: self._agent.message(data))

    def packet(self, port: int, frame: bytes) -> Iterable[Observed]:
        """Pass a frame on."""
        self.exchange.append(Exchanged(self._now, False, (port, bytes(frame))))
        return self._noted(lambda: self._agent.packet(port, frame))

    def advance(self, milliseconds: int) -> Iterable[Observed]:
        """Pass time on."""
        self._now += milliseconds
        return self._noted(lambda: self._agent.advance(milliseconds))

    def _noted(self, call: Callable[[], Iterable[Observed]]) -> Iterator[Observed]:
        """Pass what the agent does on and keep it; agents may be generators, which raise late."""
        try:
            for what in call() or ():
                self.exchange.append(Exchanged(self._now, True, what))
                yield what
        except (Exception, SystemExit) as error:
            self.exchange.append(Exchanged(self._now, True, Crash(f"{type(error).__name__}: {error}")))
            raise
