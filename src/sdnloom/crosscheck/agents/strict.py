"""The agent `strict`: the network model's switch behind the wire codec, a switch as the specification says.

The specification lets a switch choose which errors it reports first and what it does with a stream that has lost its
framing; here a header with a length below 8 is answered with an error, and the connection is closed.
"""

from collections.abc import Iterable

from sdnloom.crosscheck.agent import DATAPATH_ID, PORTS, Close, Observed, Wait
from sdnloom.network.openflow import V10
from sdnloom.network.openflow.codec import decode as decode_message
from sdnloom.network.openflow.codec import encode as encode_message
from sdnloom.network.openflow.errors import DecodeError
from sdnloom.network.openflow.framer import Framer
from sdnloom.network.openflow.messages import Error, Hello
from sdnloom.network.packet import decode, encode
from sdnloom.network.switch.config import Switch, plain_ports
from sdnloom.network.switch.core import initial_switch_core
from sdnloom.network.switch.handlers import handle_message
from sdnloom.network.switch.pipeline import process_packet
from sdnloom.network.switch.step import SwitchStep
from sdnloom.network.switch.timeouts import pass_time


class StrictAgent:
    """The switch model with three ports and 256 buffers. Of several entries of equal priority the first applies."""

    def __init__(self, version: int = V10, buffers: int = 256) -> None:
        self._config = Switch(
            DATAPATH_ID,
            plain_ports(*range(1, PORTS + 1)),
            version=version,
            buffers=buffers,
            counters=True,
            overlap="first",
        )
        self._core = initial_switch_core(self._config)
        self._framer = Framer()

    def reset(self) -> Iterable[Observed]:
        """Return to the state after power-on, with a fresh connection."""
        self._core = initial_switch_core(self._config)
        self._framer = Framer()
        return [encode_message(Hello(), self._config.version)]

    def message(self, data: bytes) -> Iterable[Observed]:
        """Receive bytes of the stream and process the messages that they complete."""
        observed: list[Observed] = []
        self._framer, requests = self._framer.push(data)
        for request in requests:
            observed += self._process(request)
            if observed and isinstance(observed[-1], Close):
                return observed
        fault = self._framer.fault
        if fault is not None:
            observed += [encode_message(fault.reply(self._framer.buffer), self._config.version), Close()]
        elif self._framer.waits:
            observed.append(Wait())
        return observed

    def packet(self, port: int, frame: bytes) -> Iterable[Observed]:
        """Receive a frame on a port."""
        step = SwitchStep(self._config, self._core)
        process_packet(step, port, decode(frame))
        return self._effects(step)

    def advance(self, milliseconds: int) -> Iterable[Observed]:
        """Let time pass."""
        outcome = pass_time(self._config, self._core, milliseconds)
        self._core = outcome.core
        return [encode_message(message, self._config.version) for message in outcome.messages]

    def _process(self, request: bytes) -> list[Observed]:
        """Process one message. Each error quotes the request as it came."""
        version = self._config.version
        try:
            message = decode_message(request, version)
        except DecodeError as error:
            return [encode_message(error.reply(request), version)]
        if isinstance(message, Hello):
            # Without a bitmap of versions on both sides the smaller of the two versions counts (1.0, 4.5; 1.3, 6.3.1).
            if request[0] >= version:
                return []
            return [encode_message(Error("hello_failed", "incompatible", xid=message.xid), version), Close()]
        step = SwitchStep(self._config, self._core)
        handle_message(step, message, request)
        return self._effects(step)

    def _effects(self, step: SwitchStep) -> list[Observed]:
        """Keep the new state and return what the step sent: messages, then frames."""
        self._core = step.core
        observed: list[Observed] = [encode_message(message, self._config.version) for message in step.messages]
        observed += [(port, encode(packet)) for port, packet in step.outputs]
        return observed
