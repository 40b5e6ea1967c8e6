"""The real parts of a network as the confirmation sees them: switches, and the controller in a process of its own.

A part is given one input at a time, and returns everything that it did because of it: it waits with fences until
nothing is under way. What a part sends goes nowhere by itself; the confirmation delivers it when the trace says so.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sdnloom.errors import SdnloomError
from sdnloom.network.openflow import FlowStats
from sdnloom.switches.bridge import SwitchReaction

# The answer of the switch to a request of the handshake; None for a message that does not belong to the handshake.
HandshakeAnswer: TypeAlias = Callable[[bytes], Sequence[bytes] | None]


class RealPartError(SdnloomError):
    """A real part cannot be used. The message says which, and what was expected."""


@dataclass(frozen=True, slots=True)
class ObservedException:
    """An exception that the controller's process logged or died of: "KeyError: 5", at a file and a line.

    `file` is the whole path of the innermost line, and `lines` has (file, line) of the whole traceback, outermost
    first.
    """

    text: str
    file: str
    line: int
    lines: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ObservedAnswer:
    """The answer to a call from outside: for a REST request its status and body."""

    name: str
    status: int
    body: str = ""


@dataclass(frozen=True, slots=True)
class ControllerReaction:
    """What one input made visible of the controller.

    Messages are in order for each switch; `closed` are the switches whose connection the controller closed; `ended`
    says how its process ended, if it did.
    """

    messages: tuple[tuple[str, bytes], ...] = ()
    raised: tuple[ObservedException, ...] = ()
    answers: tuple[ObservedAnswer, ...] = ()
    closed: tuple[str, ...] = ()
    ended: str = ""

    def __add__(self, other: "ControllerReaction") -> "ControllerReaction":
        return ControllerReaction(
            self.messages + other.messages,
            self.raised + other.raised,
            self.answers + other.answers,
            self.closed + other.closed,
            self.ended or other.ended,
        )

    def __bool__(self) -> bool:
        return self != ControllerReaction()


class RealController(ABC):
    """A controller that accepts OpenFlow connections on loopback. Law: after `close` nothing of it is left."""

    foreign = False  # it is not the scenario's program: what it raises is not seen, and its handshake may ask more

    @property
    def log(self) -> str:
        """What the controller has printed and logged so far."""
        return ""

    @abstractmethod
    def join(self, switch: str, answer: HandshakeAnswer) -> ControllerReaction:
        """Connect as a switch, answer the handshake's requests, and return what else the controller did.

        Echo requests of the controller are answered by the connection itself, then and later, and never shown.
        """

    @abstractmethod
    def leave(self, switch: str) -> ControllerReaction:
        """Close the connection of a switch."""

    @abstractmethod
    def receive(self, switch: str, message: bytes) -> ControllerReaction:
        """Deliver a message of a switch."""

    @abstractmethod
    def call(self, name: str, arguments: tuple[Any, ...]) -> ControllerReaction:
        """Make a call from outside: a REST request "PUT /path" with its body, or an external of a Python program.

        Raises NotEnforceable if this kind of controller cannot be called like that.
        """

    @abstractmethod
    def fire(self, timer: str) -> ControllerReaction:
        """Fire a timer that the scenario declares (not one of the program's clock). Raises NotEnforceable as `call`."""

    @abstractmethod
    def wait(self, enough: Callable[[ControllerReaction], bool], seconds: float) -> ControllerReaction:
        """Let real time pass until the controller's own timers have made it do enough, but no longer than that.

        `enough` gets everything that it did in this call. Returns what it did, also when that is not enough.
        """

    @abstractmethod
    def close(self) -> None:
        """Close all connections, end the process and remove its files."""


class RealSwitch(ABC):
    """One switch: a bridge whose ports and whose controller are held by the confirmation."""

    name: str

    @abstractmethod
    def request(self, message: bytes) -> tuple[bytes, ...]:
        """Send a request whose answer is not part of the trace, such as those of the handshake; return the answers."""

    @abstractmethod
    def receive_message(self, message: bytes) -> SwitchReaction:
        """Deliver messages of the controller, as they are on the wire; one after the other if these are several."""

    @abstractmethod
    def receive_frames(self, arrivals: Sequence[tuple[int, bytes]]) -> SwitchReaction:
        """Let frames arrive at ports, one after the other."""

    @abstractmethod
    def carrier(self, port: int, up: bool) -> SwitchReaction:
        """Take the carrier of a port away, or give it back; without power, the port is so when the power is back."""

    @abstractmethod
    def advance(self, milliseconds: int) -> SwitchReaction:
        """Let the clock of the switch move on; it stands still otherwise. All switches may have one clock."""

    def next_expiry(self) -> int | None:
        """The milliseconds until an entry may expire, of this switch or one with the same clock; None if none does.

        Until then the clock can move on without an effect on entries. The default is a second: timeouts are seconds.
        """
        return 1000

    @abstractmethod
    def disconnect(self) -> SwitchReaction:
        """Cut the connection to the controller."""

    @abstractmethod
    def connect(self) -> SwitchReaction:
        """Connect again, after `disconnect` or `power_on`."""

    @abstractmethod
    def power_off(self) -> None:
        """Take the power away, and with it all state."""

    @abstractmethod
    def power_on(self) -> None:
        """Give the power back; the switch is then as new, and not connected."""

    @abstractmethod
    def entries(self) -> tuple[FlowStats, ...]:
        """The flow entries of all tables."""


class NotEnforceable(RealPartError):  # noqa: N818 (a result: the step cannot be taken from outside)
    """A step that cannot be enforced from outside. The message says why."""
