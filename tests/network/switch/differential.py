"""Differential testing: the switch model and a real Open vSwitch get the same stimuli; differences are classified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from unittest.mock import patch

from sdnloom.network.openflow import (
    V10,
    Error,
    FeaturesReply,
    FeaturesRequest,
    FlowMod,
    GroupMod,
    OpenFlowMessage,
    PacketQueue,
    PortDescReply,
    PortDescRequest,
)
from sdnloom.network.openflow.codec import decode, encode
from sdnloom.network.openflow.errors import ERROR_DATA
from sdnloom.network.packet import encode as encode_packet
from sdnloom.network.switch import (
    Switch,
    SwitchCore,
    SwitchOutcome,
    initial_switch_core,
    pass_time,
    receive_message,
    receive_packet,
)
from sdnloom.network.switch.tables.flow_mod import has_no_wildcards
from sdnloom.switches.bridge import SwitchReaction
from sdnloom.switches.openvswitch import OpenVswitch
from tests.network.switch.deviations import (
    ALWAYS,
    DEVIATIONS,
    HARD_TIMER_OF_MODIFY,
    IDLE_TIMER_OF_REPLACEMENT,
    Step,
    keeps_idle_timer,
    restart_hard_timers,
    twins,
)
from tests.network.switch.sequences import Arrival, Send, Stimulus
from tests.network.switch.views import View, view_of_model, view_of_switch

Model = Callable[[Switch, SwitchCore, Stimulus], tuple[SwitchOutcome, ...]]


def configuration(switch: OpenVswitch) -> Switch:
    """Return the model's configuration for a bridge; its options are the ways that the specification leaves open."""
    version = switch.version
    request: OpenFlowMessage = FeaturesRequest() if version == V10 else PortDescRequest()
    reply = decode(switch.message(encode(request, version)).messages[0], version)
    assert isinstance(reply, FeaturesReply | PortDescReply)
    return Switch(
        datapath_id=1,
        ports=reply.ports,
        version=version,
        queues=tuple(PacketQueue(0, port.port_no) for port in reply.ports),
        profile="openvswitch",
        buffers=0,
        counters=True,
        unknown_port="accept",
        emergency_entries=0,
        local_floods=True,
    )


def model(config: Switch, core: SwitchCore, stimulus: Stimulus) -> tuple[SwitchOutcome, ...]:
    """Return the model's outcomes of a stimulus."""
    if isinstance(stimulus, Arrival):
        return receive_packet(config, core, stimulus.port, stimulus.packet)
    if isinstance(stimulus, Send):
        return receive_message(config, core, stimulus.message)
    return (pass_time(config, core, stimulus.milliseconds),)


@dataclass
class Difference:
    """The first step where the model and Open vSwitch differ and no rule explains it."""

    history: list[Stimulus]
    models: list[View]
    real: View

    def __str__(self) -> str:
        steps = "\n".join(f"  {stimulus!r}" for stimulus in self.history)
        models = "\nor\n".join(str(view) for view in self.models)
        return f"after\n{steps}\nOpen vSwitch:\n{self.real}\nmodel:\n{models}"


@dataclass
class Comparison:
    """Runs sequences on both sides. Where the model has several outcomes, all that agree are followed."""

    config: Switch
    switch: OpenVswitch | None  # None: the caller observes
    model: Model = model
    named: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    generation: int | None = None  # of the newest master: the one thing that no message makes a switch forget
    cores: list[SwitchCore] = field(default_factory=list)
    history: list[Stimulus] = field(default_factory=list)
    ended: bool = False

    def run(self, sequence: list[Stimulus]) -> Difference | None:
        """Return the first difference that no rule explains, or None."""
        assert self.switch is not None
        self.switch.forget()
        self.begin()
        for stimulus in sequence:
            difference = self.step(stimulus, self._observe(stimulus))
            if difference is not None or self.ended:
                return difference
        return None

    def begin(self) -> None:
        """Begin with switches in the state after power-on."""
        start = initial_switch_core(self.config)
        self.cores = [replace(start, settings=replace(start.settings, generation_id=self.generation))]
        self.history, self.ended = [], False

    def step(self, stimulus: Stimulus, reaction: SwitchReaction) -> Difference | None:
        """Compare one step; return a difference that no rule explains. `ended`: a rule ends the sequence here."""
        real = self._view(stimulus, reaction)
        self.history.append(stimulus)
        outcomes = [(core, outcome) for core in self.cores for outcome in self._outcomes(core, stimulus)]
        self.steps += 1
        views = [view_of_model(outcome) for _, outcome in outcomes]
        agreeing = [outcome.core for (_, outcome), view in zip(outcomes, views, strict=True) if view == real]
        if not agreeing:
            found = self._named(stimulus, outcomes, views, real)
            if found is None:
                return Difference(self.history, views, real)
            agreeing = found
        if not agreeing:
            self.ended = True
            return None
        if any(keeps_idle_timer(stimulus, core) for core in self.cores):
            self.named[IDLE_TIMER_OF_REPLACEMENT] += 1
            self.ended = True
            return None
        self.cores = list(dict.fromkeys(agreeing))
        self.generation = self.cores[0].settings.generation_id
        return None

    def _outcomes(self, core: SwitchCore, stimulus: Stimulus) -> list[SwitchOutcome]:
        with ExitStack() as stack:
            for module, name, other in ALWAYS.values():
                stack.enter_context(patch.object(module, name, other))
            outcomes = self.model(self.config, core, stimulus)
        plain = _effects(self.model(self.config, core, stimulus))
        if plain != _effects(outcomes):
            for rule, (module, name, other) in ALWAYS.items():
                with patch.object(module, name, other):
                    self.named[rule] += _effects(self.model(self.config, core, stimulus)) != plain
        adjusted = []
        for outcome in outcomes:
            adjusted.append(restart_hard_timers(stimulus, core, outcome))
            self.named[HARD_TIMER_OF_MODIFY] += adjusted[-1].core != outcome.core
        return adjusted

    def _named(
        self, stimulus: Stimulus, outcomes: list[tuple[SwitchCore, SwitchOutcome]], views: list[View], real: View
    ) -> list[SwitchCore] | None:
        """Return the states to continue with if rules explain the difference, else None."""

        def again(core: SwitchCore) -> list[SwitchOutcome]:
            return self._outcomes(core, stimulus)

        steps = [
            Step(self.config, stimulus, before, outcome.core, view, real, again)
            for (before, outcome), view in zip(outcomes, views, strict=True)
        ]
        for deviation in DEVIATIONS:
            resumed = [cores for step in steps if (cores := deviation.resume(step)) is not None]
            if resumed:
                self.named[deviation.name] += 1
                return [core for cores in resumed for core in cores]
        found = [each for step in steps if (each := twins(step)) is not None]
        for name in {name for names, _ in found for name in names}:
            self.named[name] += 1
        return [core for _, cores in found for core in cores] or None

    def _view(self, stimulus: Stimulus, reaction: SwitchReaction) -> View:
        real = view_of_switch(reaction, self.config.version)
        if isinstance(stimulus, Send) and _is_exact(stimulus.message, self.config.version):
            # An error quotes the bytes that were sent; the model quotes those of the plain encoding.
            quoted = encode(stimulus.message, self.config.version)[:ERROR_DATA]
            errors = (replace(each, data=quoted) if isinstance(each, Error) else each for each in real.messages)
            return replace(real, messages=tuple(errors))
        return real

    def _observe(self, stimulus: Stimulus) -> SwitchReaction:
        assert self.switch is not None
        if isinstance(stimulus, Arrival):
            return self.switch.frame(stimulus.port, encode_packet(stimulus.packet))
        if isinstance(stimulus, Send):
            removals = isinstance(stimulus.message, FlowMod | GroupMod)
            return self.switch.message(encode(stimulus.message, self.config.version), removals)
        return self.switch.advance(stimulus.milliseconds)


def _effects(outcomes: tuple[SwitchOutcome, ...]) -> list[object]:
    return [(outcome.core, outcome.outputs, outcome.messages) for outcome in outcomes]


def _is_exact(message: OpenFlowMessage, version: int) -> bool:
    return version == V10 and isinstance(message, FlowMod) and has_no_wildcards(message.match)
