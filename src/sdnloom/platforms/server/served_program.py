"""A program that runs behind the OpenFlow server: live objects that are given inputs."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from sdnloom.network.openflow import OpenFlowMessage
from sdnloom.network.program import Input
from sdnloom.platforms.server.report_lines import RaisedReport


class ServedReaction(NamedTuple):
    """What an input made the program do: messages to switches by name, in order, and exceptions."""

    messages: Sequence[tuple[str, OpenFlowMessage]] = ()
    raised: Sequence[RaisedReport] = ()


class ServedProgram(ABC):
    """Law: it reacts as the program of its platform does in the model, along one path."""

    @abstractmethod
    def handle(self, given: Input) -> ServedReaction:
        """Give the program an input: a switch that joins or leaves, a message, a call or a timer."""

    def seconds_left(self) -> float | None:
        """The time until the program's next timer of its own is due; None if it has set none."""
        return None

    def fire_due(self) -> ServedReaction:
        """Call what is due now."""
        return ServedReaction()
