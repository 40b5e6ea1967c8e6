"""The switch model beside a real Open vSwitch: the same stimuli, and every difference either named or reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from sdnloom.network.openflow import FlowMod, GroupMod, Port
from sdnloom.network.openflow.codec import encode
from sdnloom.network.packet import encode as encode_packet
from sdnloom.network.switch import (
    Outcome,
    Switch,
    SwitchCore,
    advance,
    initial_core,
    plain_ports,
    receive_message,
    receive_packet,
)
from tests.network.openvswitch import Observed, OpenVswitch
from tests.network.switch.deviations import DEVIATIONS, Step
from tests.network.switch.sequences import Arrival, Send, Stimulus
from tests.network.switch.views import View, view_of_model, view_of_switch

Model = Callable[[Switch, SwitchCore, Stimulus], tuple[Outcome, ...]]


def configuration(version: int) -> Switch:
    """Return the model's configuration for the harness's bridge; options are the ways the specification leaves open."""
    return Switch(
        datapath_id=1,
        ports=plain_ports(1, 2, 3, Port.LOCAL),
        version=version,
        buffers=0,
        counters=True,
        unknown_port="accept",
        emergency_entries=0,
        local_floods=True,
    )


def model(config: Switch, core: SwitchCore, stimulus: Stimulus) -> tuple[Outcome, ...]:
    """Return the model's outcomes of a stimulus."""
    if isinstance(stimulus, Arrival):
        return receive_packet(config, core, stimulus.port, stimulus.packet)
    if isinstance(stimulus, Send):
        return receive_message(config, core, stimulus.message)
    return (advance(config, core, stimulus.milliseconds),)


@dataclass
class Difference:
    """The first step at which the two part without a rule that says why."""

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
    switch: OpenVswitch
    model: Model = model
    named: Counter[str] = field(default_factory=Counter)
    steps: int = 0

    def run(self, sequence: list[Stimulus]) -> Difference | None:
        """Return the first difference that no rule names, or None."""
        self.switch.forget()
        cores = [initial_core(self.config)]
        for place, stimulus in enumerate(sequence):
            real = view_of_switch(self._observe(stimulus), self.config.version)
            outcomes = [(core, outcome) for core in cores for outcome in self.model(self.config, core, stimulus)]
            self.steps += 1
            agreeing = [outcome.core for _, outcome in outcomes if view_of_model(outcome) == real]
            if not agreeing:
                views = [view_of_model(outcome) for _, outcome in outcomes]
                found = self._named(stimulus, outcomes, views, real)
                if found is None:
                    return Difference(sequence[: place + 1], views, real)
                agreeing = found
            cores = list(dict.fromkeys(agreeing))
            if not cores:
                return None
        return None

    def _named(
        self, stimulus: Stimulus, outcomes: list[tuple[SwitchCore, Outcome]], views: list[View], real: View
    ) -> list[SwitchCore] | None:
        def again(core: SwitchCore) -> tuple[Outcome, ...]:
            return self.model(self.config, core, stimulus)

        for deviation in DEVIATIONS:
            resumed = [
                deviation.resume(Step(self.config, stimulus, before, outcome.core, view, real, again))
                for (before, outcome), view in zip(outcomes, views, strict=True)
            ]
            if any(cores is not None for cores in resumed):
                self.named[deviation.name] += 1
                return [core for cores in resumed if cores is not None for core in cores]
        return None

    def _observe(self, stimulus: Stimulus) -> Observed:
        if isinstance(stimulus, Arrival):
            return self.switch.frame(stimulus.port, encode_packet(stimulus.packet))
        if isinstance(stimulus, Send):
            removals = isinstance(stimulus.message, FlowMod | GroupMod)
            return self.switch.message(encode(stimulus.message, self.config.version), removals)
        return self.switch.advance(stimulus.milliseconds)
