"""The contract of an agent: the part of a switch that speaks OpenFlow, as four methods that return observations.

Any class with these methods is an agent; it need not import sdnloom. An observation is an OpenFlow message to the
controller (bytes), a frame that leaves on a port (a pair of number and bytes), or one of the values below. An
exception is a crash, except for an AgentError: that one says why the agent cannot be asked. After a crash, a close or a
wait the agent gets nothing more until it is reset.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from sdnloom.errors import SdnloomError


class AgentError(SdnloomError):
    """An agent that cannot be loaded, started or asked, or that breaks the contract. It is no behaviour."""


@dataclass(frozen=True, slots=True)
class Crash:
    """The agent ended. The reason is shown and not compared."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Close:
    """The agent closed the connection to its controller."""


@dataclass(frozen=True, slots=True)
class Wait:
    """The agent waits for more bytes of a message: nothing else can be asked on this connection."""


Observed = bytes | tuple[int, bytes] | Crash | Close | Wait

PORTS: Final = 3  # the ports of an agent under test are 1 to 3
DATAPATH_ID: Final = 1


class Agent(Protocol):
    """One switch under test, with ports 1 to 3, that speaks one version of OpenFlow."""

    def reset(self) -> Iterable[Observed]:
        """Return to the state after power-on with a fresh connection; return what it sends by itself, its Hello."""
        ...

    def message(self, data: bytes) -> Iterable[Observed]:
        """Receive bytes of one message from the controller."""
        ...

    def packet(self, port: int, frame: bytes) -> Iterable[Observed]:
        """Receive a frame on a port."""
        ...

    def advance(self, milliseconds: int) -> Iterable[Observed]:
        """Let time pass."""
        ...
