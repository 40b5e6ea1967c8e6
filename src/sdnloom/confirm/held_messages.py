"""The wire: everything that was sent and not received yet, as the model knows it and as it is in bytes."""

from collections.abc import Iterator
from typing import NamedTuple

from sdnloom.engine.model import Fault, Message
from sdnloom.engine.semantics import Transition


class HeldMessage(NamedTuple):
    """A message of the model on its way, and its bytes; None for one that no wire carries, such as a task of a host.

    `greeting` has the messages by which a real switch that joins describes itself.
    """

    message: Message
    data: bytes | None
    greeting: bytes = b""


class HeldMessages:
    """The messages on all channels. Law: on each channel they are those that the model's state has there."""

    def __init__(self) -> None:
        self._channels: dict[str, list[HeldMessage]] = {}

    def take(self, transition: Transition) -> tuple[HeldMessage, ...]:
        """Remove and return what a step receives. Of equal messages the first is taken; all are alike."""
        channel = transition.action.take
        if channel is None:
            return ()
        return tuple(self._taken(channel, message) for message in _received(transition))

    def put(self, channel: str, held: HeldMessage) -> None:
        """Add a message that was sent."""
        self._channels.setdefault(channel, []).append(held)

    def suffer(self, transition: Transition) -> None:
        """Let the faults of a step happen to what it sent: messages that are lost, or there twice."""
        for event in transition.events:
            if isinstance(event, Fault) and event.kind.copies != 1:
                waiting = self._channels[event.channel]
                last = max(number for number, each in enumerate(waiting) if each.message == event.message)
                waiting[last : last + 1] = [waiting[last]] * event.kind.copies

    def _taken(self, channel: str, message: Message) -> HeldMessage:
        waiting = self._channels[channel]
        return waiting.pop(next(number for number, each in enumerate(waiting) if each.message == message))


def _received(transition: Transition) -> Iterator[Message]:
    """Yield the messages that a step receives: a switch takes one packet from every port."""
    message = transition.step.message
    if transition.action.name == "packets":
        assert isinstance(message, tuple)
        yield from message
    else:
        yield message
