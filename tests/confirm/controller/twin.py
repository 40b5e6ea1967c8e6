"""Apps in the model and the same apps in a process of their own, given the same inputs: what they do must be equal.

The model is the oracle for the process, and the process for the model. The switches are fakes: they answer the
handshake as the switch model does, and deliver what they are told.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sdnloom.confirm.controller.process_controller import ProcessController, start_controller
from sdnloom.confirm.real_parts import ControllerReaction, HandshakeAnswer
from sdnloom.network.events import CallAnswered, HandlerRaised
from sdnloom.network.network import Network
from sdnloom.network.openflow import (
    VERSION_NUMBERS,
    FeaturesRequest,
    Hello,
    Match,
    OpenFlowMessage,
    PacketIn,
    PortDescReply,
    PortDescRequest,
    decode,
    encode,
)
from sdnloom.network.program import Call, Input, MessageIn, Reaction, SwitchDown, SwitchUp
from sdnloom.network.switch import Switch, features_of, initial_switch_core, plain_ports
from sdnloom.network.topology import single
from sdnloom.platforms.osken.program import OskenProgram

NETWORK = Network(single())


def switch_of(number: int, version: int) -> Switch:
    """A switch with three ports."""
    return Switch(number, plain_ports(1, 2, 3), version=version)


def switch_answers(switch: Switch) -> HandshakeAnswer:
    """Answer each request of the handshake once."""
    version = switch.version
    asked: set[type] = set()

    def answer(data: bytes) -> Sequence[bytes] | None:
        message = Hello() if data[1] == 0 else decode(data)
        if type(message) in asked:
            return None
        asked.add(type(message))
        match message:
            case Hello():
                return [encode(Hello(), version)]
            case FeaturesRequest():
                features = features_of(switch, initial_switch_core(switch))
                return [encode(replace(features, xid=message.xid), version)]
            case PortDescRequest():
                return [encode(PortDescReply(switch.ports, xid=message.xid), version)]
        return None

    return answer


def packet_in(frame: bytes, port: int = 1) -> PacketIn:
    """A frame that no entry matches."""
    return PacketIn(Match.of(in_port=port), frame, len(frame))


Seen = tuple[Any, ...]


class Twin:
    """Both. `give` gives an input to both and returns what the process did, if the model says the same."""

    def __init__(self, program: OskenProgram, network: Network = NETWORK) -> None:
        self.program, self.hub = program, ""
        self.version = VERSION_NUMBERS[program.version]
        self.real: ProcessController = start_controller(program.controller_command(network))
        self._core = program.initial()

    def __enter__(self) -> "Twin":
        return self

    def __exit__(self, *_: object) -> None:
        self.real.close()

    def join(self, number: int) -> ControllerReaction:
        """Connect switch number N, of the name sN, with three ports."""
        switch = switch_of(number, self.version)
        return self._compare(SwitchUp(f"s{number}", number, switch.ports), lambda: self._join(f"s{number}", switch))

    def _join(self, name: str, switch: Switch) -> ControllerReaction:
        return self.real.join(name, switch_answers(switch))

    def receive(self, switch: str, message: OpenFlowMessage) -> ControllerReaction:
        """Deliver a message."""
        data = encode(message, self.version)
        return self._compare(MessageIn(switch, decode(data, self.version)), lambda: self.real.receive(switch, data))

    def leave(self, switch: str) -> ControllerReaction:
        """End a connection."""
        return self._compare(SwitchDown(switch), lambda: self.real.leave(switch))

    def call(self, name: str, body: str = "") -> ControllerReaction:
        """Make a request."""
        arguments = (body,) if body else ()
        return self._compare(Call(name, arguments), lambda: self.real.call(name, arguments))

    def _compare(self, given: Input, real: Callable[[], ControllerReaction]) -> ControllerReaction:
        (reaction,) = self.program.handle(self._core, given)
        self._core = reaction.core
        found = real()
        assert self.seen(found) == self.expected(reaction), (
            given,
            self.seen(found),
            self.expected(reaction),
            self.real.log[-3000:],
        )
        return found

    def seen(self, reaction: ControllerReaction) -> Seen:
        """What the process did, comparable."""
        return (
            _by_switch([(switch, _plain(data, self.version)) for switch, data in reaction.messages]),
            sorted((each.text, Path(each.file).name, each.line) for each in reaction.raised),
            [(each.name, each.status, each.body) for each in reaction.answers],
        )

    def expected(self, reaction: Reaction) -> Seen:
        """What the model says, comparable."""
        sent = [(switch, encode(message, self.version)) for switch, message in reaction.messages]
        raised = [each for each in reaction.events if isinstance(each, HandlerRaised)]
        answers = [each for each in reaction.events if isinstance(each, CallAnswered)]
        return (
            _by_switch([(switch, _plain(data, self.version)) for switch, data in sent]),
            sorted((each.text, each.file, each.line) for each in raised),
            [(each.name, each.status, each.body) for each in answers],
        )


def _plain(data: bytes, version: int) -> Any:
    return replace(decode(data, version), xid=0)


def _by_switch(messages: list[tuple[str, Any]]) -> dict[str, list[Any]]:
    return {switch: [each for name, each in messages if name == switch] for switch, _ in messages}
