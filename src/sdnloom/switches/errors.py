"""What can go wrong with a real switch: no start, an end, a closed connection, no answer."""

from collections.abc import Sequence

from sdnloom.errors import SdnloomError


class RealSwitchError(SdnloomError):
    """A real switch cannot be used. The message says which, and what was expected."""


class SwitchEndedError(RealSwitchError):
    """A process of the switch ended though nobody asked it to."""


class ConnectionLostError(RealSwitchError):
    """The switch cannot be asked any further on this connection; `messages` arrived before."""

    def __init__(self, text: str, messages: Sequence[bytes] = ()) -> None:
        super().__init__(text)
        self.messages = tuple(messages)


class ConnectionClosedError(ConnectionLostError):
    """The switch closed the OpenFlow connection."""


class SwitchSilentError(ConnectionLostError):
    """The switch sent nothing where an answer is due."""
