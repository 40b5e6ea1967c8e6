"""An agent that is another process, behind an OpenFlow connection: what a real switch on any kind of socket needs.

A reset does not make a fresh connection, because that takes a real switch long. It restores the state after power-on
over the connection that there is, and what the switch sent when that one was made is returned again. If the first
message is not the plain Hello that the connection has seen, a fresh connection is made for it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from sdnloom.crosscheck.agent import AgentError, Close, Crash, Observed, Wait
from sdnloom.network.openflow.constants import V10, V13
from sdnloom.switches.connection import divide_messages
from sdnloom.switches.errors import ConnectionClosedError, RealSwitchError, SwitchEndedError, SwitchSilentError
from sdnloom.switches.reset_messages import FLOW_MOD

_HEADER: Final = 8
_FLAGS_AT: Final = {V10: 70, V13: 44}  # where a FlowMod has its flags
_SEND_FLOW_REMOVED: Final = 1


@dataclass(frozen=True, slots=True)
class Framing:
    """The messages that some bytes hold by their length fields: the type of each, and whether no bytes are left."""

    types: tuple[int, ...]
    whole: bool


def framing(data: bytes) -> Framing:
    """Return the messages that bytes hold. A length below 8 is that of no message."""
    found, rest = divide_messages(data)
    return Framing(tuple(each[1] for each in found), not rest)


def asks_for_report(data: bytes, version: int) -> bool:
    """Return whether a FlowMod in the bytes may ask for a report when its entry is removed."""
    types = framing(data).types
    at = _FLAGS_AT[version]
    flags = int.from_bytes(data[at : at + 2], "big")
    return FLOW_MOD in types and (bool(flags & _SEND_FLOW_REMOVED) or len(types) > 1)


def is_plain_hello(data: bytes, version: int) -> bool:
    """Return whether the bytes are a Hello of this version without elements."""
    return len(data) == _HEADER and data[:4] == bytes((version, 0, 0, _HEADER))


class RemoteAgent(ABC):
    """An agent behind a connection. Subclasses say how it is made, restored and observed."""

    def __init__(self, name: str, version: int) -> None:
        self.name, self.version = name, version
        self._welcome: list[Observed] = []  # what the switch sends on a fresh connection
        self._lost = True  # the connection, if there is one, cannot be used any more
        self._greeted = False  # whether the connection is past its Hello
        self._unasked = True  # whether nothing came after the reset

    def reset(self) -> list[Observed]:
        """Restore the state after power-on; return what the switch sent on its connection."""
        with_errors(self.name, self._restore)
        self._unasked = True
        return list(self._welcome)

    def message(self, data: bytes) -> list[Observed]:
        """Send bytes and return what the switch did."""
        if self._unasked and is_plain_hello(data, self.version) and self._greeted:
            self._unasked = False
            return []
        return self._observed(lambda: self.ask(data))

    def packet(self, port: int, frame: bytes) -> list[Observed]:
        """Let a frame arrive and return what the switch did."""
        return self._observed(lambda: self.probe(port, frame))

    def advance(self, milliseconds: int) -> list[Observed]:
        """Let time pass and return what the switch did."""
        return self._observed(lambda: self.wait(milliseconds))

    # -- what subclasses do -------------------------------------------------------------------------------------

    @abstractmethod
    def connect(self) -> list[Observed]:
        """Make a fresh connection, in place of the one there is; return what the switch sends on it."""

    @abstractmethod
    def greet(self) -> None:
        """Complete a fresh connection with a plain Hello."""

    @abstractmethod
    def clean(self) -> None:
        """Restore the state after power-on over a connection that is past its Hello."""

    @abstractmethod
    def ask(self, data: bytes) -> Iterable[Observed]:
        """Send bytes and return what the switch did."""

    @abstractmethod
    def probe(self, port: int, frame: bytes) -> Iterable[Observed]:
        """Let a frame arrive and return what the switch did."""

    @abstractmethod
    def wait(self, milliseconds: int) -> Iterable[Observed]:
        """Let time pass and return what the switch did."""

    @abstractmethod
    def late_frames(self) -> Iterable[Observed]:
        """Return the frames that left before the connection was lost."""

    @abstractmethod
    def crash_reason(self) -> str | None:
        """Return why the switch ended, now that its connection is closed; None if it runs."""

    # -- the connection -----------------------------------------------------------------------------------------

    def _restore(self) -> None:
        lost, self._lost = self._lost, True  # an interrupt leaves answers on the connection that nobody waits for
        if lost:
            self._welcome = self.connect()
            self.greet()
            self._greeted = True
        self.clean()
        self._lost = False

    def _observed(self, step: Callable[[], Iterable[Observed]]) -> list[Observed]:
        """Return what a step shows; what ends the exchange is a part of it."""
        found: list[Observed] = []
        lost, self._lost = self._lost, True
        try:
            if self._unasked:
                self._unasked = False
                lost = True  # the test itself greets the switch, or not: afterwards the connection is given up
                with_errors(self.name, self._connect_for_one_test)
            found += step()
        except ConnectionClosedError as error:
            found += error.messages
            found += self.late_frames()
            reason = self.crash_reason()
            found.append(Close() if reason is None else Crash(reason))
        except SwitchSilentError as error:
            found += [*error.messages, *self.late_frames(), Wait()]
        except SwitchEndedError as error:
            found.append(Crash(self.crash_reason() or str(error)))
        except RealSwitchError as error:
            raise AgentError(f"agent {self.name}: {error}") from None
        self._lost = lost or any(isinstance(each, Close | Wait | Crash) for each in found)
        return found

    def _connect_for_one_test(self) -> None:
        self.connect()
        self._greeted = False


def with_errors(name: str, step: Callable[[], None]) -> None:
    """Run a step of the harness: an error there is none of the switch's behaviour."""
    try:
        step()
    except RealSwitchError as error:
        raise AgentError(f"agent {name}: {error}") from None
