"""The message that an error quotes: a switch repeats the first bytes of what it has refused."""

from dataclasses import replace
from typing import NamedTuple

from sdnloom.network.openflow import EncodeError, Error, OpenFlowMessage, encode
from sdnloom.network.openflow.errors import ERROR_DATA


class Quoted(NamedTuple):
    """A message as the model has it, as the real switch got it, and as the controller has sent it.

    They are one message, but have other transaction ids and cookies, and the switch may have got it without its buffer.
    Open vSwitch quotes all of it, and the model as much as the specification demands.
    """

    model: OpenFlowMessage
    given: bytes
    sent: bytes

    def as_sent(
        self, expected: OpenFlowMessage, observed: OpenFlowMessage, version: int
    ) -> tuple[OpenFlowMessage, OpenFlowMessage]:
        """Return an observed error with the bytes that the controller has sent, and with those that the trace has.

        It is as it was if one of the two does not quote this message.
        """
        if not isinstance(expected, Error) or not isinstance(observed, Error):
            return observed, observed
        quotes = min(len(self.given), ERROR_DATA) <= len(observed.data) and self.given.startswith(observed.data)
        try:
            agrees = expected.data == encode(self.model, version)[:ERROR_DATA]
        except EncodeError:
            agrees = not expected.data
        if not quotes or not agrees:
            return observed, observed
        return replace(observed, data=self.sent[: len(observed.data)]), replace(observed, data=expected.data)
