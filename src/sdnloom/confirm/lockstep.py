"""Takes steps of the model on the real parts, one by one, and holds what they send until a step receives it."""

import time
from collections.abc import Callable, Mapping, Sequence

from sdnloom.confirm.comparison import NumberRoles
from sdnloom.confirm.controller_side import ControllerSide
from sdnloom.confirm.held_messages import HeldMessage, HeldMessages
from sdnloom.confirm.outcome import Impossible, ObservedStep, Obstacle, PartKind, SentBytes, StepDifference
from sdnloom.confirm.real_parts import ControllerReaction, RealController, RealSwitch
from sdnloom.confirm.supplied_parts import SuppliedParts
from sdnloom.confirm.switch_side import SwitchSide
from sdnloom.confirm.taken_step import Agreement, StepImpossible
from sdnloom.engine.semantics import Semantics, State, Transition
from sdnloom.network.build import BuiltNetwork
from sdnloom.network.controller_component import CONTROLLER
from sdnloom.network.packet import Packet
from sdnloom.network.packet import encode as encode_packet
from sdnloom.network.switch_component import SwitchState


class RealNetwork:
    """The real parts of a network, and everything about them that lasts from the start-up to the end of the trace."""

    def __init__(
        self,
        built: BuiltNetwork,
        switches: Mapping[str, RealSwitch],
        controller: RealController,
        wait: float,
        on_step: Callable[[ObservedStep], None] | None = None,
    ) -> None:
        self.switches, self.controller, self.wait = switches, controller, wait
        self.held, self.roles, self.supplied = HeldMessages(), NumberRoles(), SuppliedParts(built.configs)
        self.early = ControllerReaction()
        self.steps: list[ObservedStep] = []
        self._began = time.monotonic()
        self._on_step = on_step or (lambda step: None)

    @property
    def seconds(self) -> float:
        """The time since the parts were ready."""
        return time.monotonic() - self._began

    def note(self, step: ObservedStep) -> None:
        """Record a step that was taken."""
        self.steps.append(step)
        self._on_step(step)


class Lockstep:
    """The steps of one system, taken on the real parts from its initial state on.

    `later` says how many steps of the trace that are still to come let a timer or a thread of the app run.
    """

    def __init__(self, built: BuiltNetwork, real: RealNetwork, startup: bool) -> None:
        self.semantics = Semantics(built.system)
        self.state = self.semantics.initial()
        self._real, self._startup, self._number = real, startup, 0
        self._controller = ControllerSide(built.controller, built.configs, real.controller, real.switches, real.wait)
        self._switches = {
            name: SwitchSide(name, config, real.switches[name], built.wiring, real.switches)
            for name, config in built.configs.items()
        }

    def runs_by_itself(self, transition: Transition) -> bool:
        """Whether a timer or a thread of the app runs in this step."""
        return transition.step.component == CONTROLLER and self._controller.runs_by_itself(transition.action.name)

    def take(self, transition: Transition, later: int = 0) -> StepDifference | Impossible | None:
        """Take a step. Returns what went otherwise, or why it cannot be taken; None if it went as the model says."""
        self._number += 1
        try:
            return self._take(transition, later)
        except StepImpossible as error:
            return Impossible(self._number, self._startup, transition, error.obstacle, str(error))

    def _take(self, transition: Transition, later: int) -> StepDifference | None:
        name, real = transition.step.component, self._real
        taken = real.held.take(transition)
        delivered = tuple(SentBytes(transition.action.take or "", held.data) for held in taken if held.data is not None)
        if name == CONTROLLER:
            agreement, reaction = self._of_controller(transition, taken, later)
            raised, answers = reaction.raised, reaction.answers
        elif name in self._switches:
            agreement, raised, answers = self._of_switch(transition, taken), (), ()
        else:
            agreement, raised, answers = self._of_host(transition), (), ()
        observed = ObservedStep(
            self._number,
            self._startup,
            transition,
            delivered,
            agreement.emitted,
            raised,
            answers,
            real.seconds,
        )
        real.note(observed)
        if agreement.contrasts:
            part = PartKind.APP if name == CONTROLLER else PartKind.SWITCH
            return StepDifference(
                observed, part, self._controller.name if name == CONTROLLER else name, agreement.contrasts
            )
        real.roles, real.supplied, real.early = agreement.roles, agreement.supplied, agreement.early
        for channel, held in agreement.sent:
            real.held.put(channel, held)
        real.held.suffer(transition)
        self.state = transition.state
        return None

    def _of_switch(self, transition: Transition, taken: Sequence[HeldMessage]) -> Agreement:
        name, real = transition.step.component, self._real
        side, before = self._switches[name], self.state.cores[self.semantics.index[name]]
        assert isinstance(before, SwitchState)
        reaction = side.perform(before, transition, taken, real.supplied)

        def compare(each: Transition) -> Agreement:
            return side.compare(each, reaction, real.roles, real.supplied)

        return self._first_choice(transition, compare, Obstacle.SWITCH_CHOICE)

    def _of_controller(
        self, transition: Transition, taken: Sequence[HeldMessage], later: int
    ) -> tuple[Agreement, ControllerReaction]:
        side, real = self._controller, self._real
        side.early, side.may_be_early = real.early, later > 0
        reaction = side.perform(transition, taken, real.roles, real.supplied)
        reaction = side.early + reaction

        def compare(each: Transition) -> Agreement:
            return side.compare(each, reaction, real.roles, real.supplied)

        return self._first_choice(transition, compare, Obstacle.APP_CHOICE), reaction

    def _of_host(self, transition: Transition) -> Agreement:
        """The step of a host or of a link, which the model takes: its packets go onto the wire."""
        sent = []
        for channel, message in transition.outcome.sends:
            packet = message[1] if isinstance(message, tuple) and len(message) == 2 else message
            data = encode_packet(packet) if isinstance(packet, Packet) else None
            sent.append((channel, HeldMessage(message, data)))
        emitted = tuple(SentBytes(channel, held.data) for channel, held in sent if held.data is not None)
        real = self._real
        return Agreement((), tuple(sent), emitted, real.roles, real.supplied, real.early)

    def _first_choice(
        self, transition: Transition, compare: Callable[[Transition], Agreement], obstacle: Obstacle
    ) -> Agreement:
        """The comparison with the step. Another outcome that the model allows is a choice, and no difference."""
        agreement = compare(transition)
        if agreement.contrasts:
            for other in alternatives(self.semantics, self.state, transition):
                if not compare(other).contrasts:
                    chosen, wanted = (each.step.choice or "another outcome" for each in (other, transition))
                    raise StepImpossible(obstacle, f"the trace has the choice {wanted!r}, and {chosen!r} was chosen")
        return agreement


def alternatives(semantics: Semantics, state: State, transition: Transition) -> list[Transition]:
    """The other outcomes of the same input, without faults of channels."""
    return [
        other
        for other in semantics.named(state, transition.step)
        if other.step.message == transition.step.message
        and other.outcome != transition.outcome
        and other.step.faults == transition.step.faults
    ]
