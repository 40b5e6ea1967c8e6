"""Parts that stand for real ones: the model's switches without buffers and a program, both behind the codec."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from sdnloom.check.program_factory import make_program
from sdnloom.check.run import Run
from sdnloom.confirm.open_parts import OpenParts
from sdnloom.confirm.options import ConfirmOptions
from sdnloom.confirm.real_parts import (
    ControllerReaction,
    HandshakeAnswer,
    ObservedAnswer,
    ObservedException,
    RealController,
    RealSwitch,
)
from sdnloom.confirm.switch_input import entries_of
from sdnloom.network.build import BuiltNetwork
from sdnloom.network.events import CallAnswered, HandlerRaised, ProgramEnded
from sdnloom.network.openflow import (
    V10,
    FeaturesReply,
    FeaturesRequest,
    FlowStats,
    Hello,
    PortDescReply,
    PortDescRequest,
    PortReason,
    PortState,
    decode,
    encode,
)
from sdnloom.network.packet import decode as decode_packet
from sdnloom.network.packet import encode as encode_packet
from sdnloom.network.program import (
    Call,
    ClockTick,
    Input,
    MessageIn,
    Program,
    SwitchDown,
    SwitchUp,
    TimerInput,
)
from sdnloom.network.switch import (
    Switch,
    SwitchOutcome,
    connect,
    disconnect,
    initial_switch_core,
    port_change,
    receive_message,
    receive_packet,
)
from sdnloom.switches.bridge import SwitchReaction


class ModelSwitch(RealSwitch):
    """A switch of the model without buffers. `change` alters what it does, as a defect would."""

    def __init__(self, name: str, config: Switch, change: Callable[[SwitchReaction], SwitchReaction]) -> None:
        self.name, self._change = name, change
        self._config = replace(config, buffers=0, overlap="first")
        self._core = initial_switch_core(self._config)
        self._off, self._without_carrier = False, set[int]()

    def _become(self, outcome: SwitchOutcome) -> SwitchReaction:
        self._core = outcome.core
        version = self._config.version
        return self._change(
            SwitchReaction(
                tuple(encode(each, version) for each in outcome.messages),
                tuple((port, encode_packet(packet)) for port, packet in outcome.outputs),
            )
        )

    def request(self, message: bytes) -> tuple[bytes, ...]:
        assert self._core.connected
        return self.receive_message(message).messages

    def receive_message(self, message: bytes) -> SwitchReaction:
        return self._become(receive_message(self._config, self._core, decode(message, self._config.version))[0])

    def receive_frames(self, arrivals: Sequence[tuple[int, bytes]]) -> SwitchReaction:
        done = SwitchReaction()
        for port, frame in arrivals:
            more = self._become(receive_packet(self._config, self._core, port, decode_packet(frame))[0])
            done = SwitchReaction(done.messages + more.messages, done.frames + more.frames)
        return done

    def carrier(self, port: int, up: bool) -> SwitchReaction:
        (self._without_carrier.discard if up else self._without_carrier.add)(port)
        return SwitchReaction() if self._off else self._become(self._with_carrier(port, up))

    def _with_carrier(self, port: int, up: bool) -> SwitchOutcome:
        ports = self._config.ports if self._core.ports is None else self._core.ports
        desc = next(each for each in ports if each.port_no == port)
        own = next(each.state for each in self._config.ports if each.port_no == port)
        state = int(own if up else own & ~PortState.LIVE | PortState.LINK_DOWN)
        return port_change(self._config, self._core, PortReason.MODIFY, replace(desc, state=state))

    def advance(self, milliseconds: int) -> SwitchReaction:
        raise AssertionError("the model has no clock")

    def disconnect(self) -> SwitchReaction:
        return self._become(disconnect(self._config, self._core))

    def connect(self) -> SwitchReaction:
        return self._become(connect(self._config, self._core))

    def power_off(self) -> None:
        self._core, self._off = disconnect(self._config, initial_switch_core(self._config)).core, True

    def power_on(self) -> None:
        self._off = False
        for port in sorted(self._without_carrier):
            self._core = self._with_carrier(port, False).core

    def entries(self) -> tuple[FlowStats, ...]:
        return entries_of(self._config, self._core)


class ModelController(RealController):
    """A program of the model whose messages have other transaction ids and cookies than the model's."""

    def __init__(self, program: Program, version: int, names: dict[int, str]) -> None:
        self._program, self._version, self._names = program, version, names
        self._core = program.initial()
        self._joined: set[str] = set()

    def _give(self, given: Input) -> ControllerReaction:
        reactions = self._program.handle(self._core, given)
        assert isinstance(reactions, Sequence)
        if not reactions:
            return ControllerReaction()
        reaction = reactions[0]
        self._core = reaction.core
        events = reaction.events
        return ControllerReaction(
            tuple((switch, encode(message, self._version)) for switch, message in reaction.messages),
            tuple(ObservedException(e.text, e.file, e.line) for e in events if isinstance(e, HandlerRaised)),
            tuple(ObservedAnswer(e.name, e.status, e.body) for e in events if isinstance(e, CallAnswered)),
            ended=", ".join(e.how for e in events if isinstance(e, ProgramEnded)),
        )

    def join(self, switch: str, answer: HandshakeAnswer) -> ControllerReaction:
        assert answer(encode(Hello(), self._version)) is not None
        (reply,) = answer(encode(FeaturesRequest(xid=7), self._version)) or ()
        features = decode(reply, self._version)
        assert isinstance(features, FeaturesReply)
        ports = features.ports
        if self._version != V10:
            (reply,) = answer(encode(PortDescRequest(xid=8), self._version)) or ()
            described = decode(reply, self._version)
            assert isinstance(described, PortDescReply)
            ports = described.ports
        return self._give(SwitchUp(self._names[features.datapath_id], features.datapath_id, ports, features))

    def leave(self, switch: str) -> ControllerReaction:
        return self._give(SwitchDown(switch))

    def receive(self, switch: str, message: bytes) -> ControllerReaction:
        return self._give(MessageIn(switch, decode(message, self._version)))

    def call(self, name: str, arguments: tuple[Any, ...]) -> ControllerReaction:
        return self._give(Call(name, arguments))

    def fire(self, timer: str) -> ControllerReaction:
        return self._give(TimerInput(timer))

    def wait(self, enough: Callable[[ControllerReaction], bool], seconds: float) -> ControllerReaction:
        return self._give(ClockTick()) if seconds else ControllerReaction()

    def close(self) -> None:
        return None


@contextmanager
def model_parts(
    run: Run,
    built: BuiltNetwork,
    options: ConfirmOptions,
    change: Callable[[SwitchReaction], SwitchReaction] = lambda reaction: reaction,
) -> Iterator[OpenParts]:
    """Parts of the model for each switch and the program."""
    switches = {name: ModelSwitch(name, config, change) for name, config in built.configs.items()}
    names = {config.datapath_id: name for name, config in built.configs.items()}
    version = next(iter(built.configs.values())).version
    controller = ModelController(make_program(run.scenario.program, new=True), version, names)
    yield OpenParts(switches, controller, {"switches": "the model", "controller": "the model"})
