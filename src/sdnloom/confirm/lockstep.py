"""Takes steps of the model on the real parts, one by one, and holds what they send until a step receives it."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from sdnloom.confirm.app_choice import refuse_own_choice
from sdnloom.confirm.comparison import NumberRoles
from sdnloom.confirm.controller_side import ControllerSide
from sdnloom.confirm.held_messages import HeldMessage, HeldMessages
from sdnloom.confirm.outcome import Impossible, ObservedStep, Obstacle, PartKind, SentBytes, StepDifference
from sdnloom.confirm.real_parts import ControllerReaction, NotEnforceable, RealController, RealSwitch
from sdnloom.confirm.supplied_parts import SuppliedParts
from sdnloom.confirm.switch_side import SwitchSide
from sdnloom.confirm.taken_step import Agreement, StepImpossible
from sdnloom.engine.semantics import Semantics, State, Transition
from sdnloom.network.build import BuiltNetwork
from sdnloom.network.controller_component import CONTROLLER
from sdnloom.network.packet import Packet
from sdnloom.network.packet import encode as encode_packet
from sdnloom.network.switch_component import SwitchState
from sdnloom.switches.bridge import SwitchReaction


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

    def take(self, transition: Transition, later: int = 0, adopt: bool = False) -> StepDifference | Impossible | None:
        """Take a step. Returns what went otherwise, or why it cannot be taken; None if it went as the model says.

        If the part takes another outcome that the model allows, the step cannot be enforced; with `adopt` that outcome
        is taken instead.
        """
        self._number += 1
        try:
            return self._take(transition, later, adopt)
        except StepImpossible as error:
            return Impossible(self._number, self._startup, transition, error.obstacle, str(error))
        except NotEnforceable as error:
            return Impossible(self._number, self._startup, transition, Obstacle.SWITCH_FAULT, str(error))

    def _take(self, transition: Transition, later: int, adopt: bool) -> StepDifference | None:
        name, real = transition.step.component, self._real
        taken = real.held.take(transition)
        channel = transition.action.take or ""
        delivered = tuple(SentBytes(channel, held.data) for held in taken if held.data is not None)
        reaction = ControllerReaction()
        if name == CONTROLLER:
            reaction = self._of_controller(transition, taken, later)
            agreements = self._agreements(
                transition, lambda each: self._controller.compare(each, reaction, real.roles, real.supplied)
            )
        elif name in self._switches:
            done = self._of_switch(transition, taken)
            agreements = self._agreements(
                transition, lambda each: self._switches[name].compare(each, done, real.roles, real.supplied)
            )
        else:
            agreements = iter([(transition, self._of_host(transition))])
        transition, agreement = self._chosen(transition, agreements, adopt)
        if agreement.contrasts and name == CONTROLLER:
            before = self.state.cores[self.semantics.index[name]]
            refuse_own_choice(self._controller, before, transition, reaction, real.roles)
        observed = ObservedStep(
            self._number,
            self._startup,
            transition,
            delivered,
            agreement.emitted,
            reaction.raised,
            reaction.answers,
            real.seconds,
        )
        real.note(observed)
        if agreement.contrasts:
            if name != CONTROLLER:
                return StepDifference(observed, PartKind.SWITCH, name, agreement.contrasts)
            return StepDifference(observed, PartKind.APP, self._controller.name, agreement.contrasts)
        real.roles, real.supplied = agreement.roles, agreement.supplied
        if name == CONTROLLER:
            real.early = agreement.early
        for channel, held in agreement.sent:
            real.held.put(channel, held)
        real.held.suffer(transition)
        self.state = transition.state
        return None

    def _of_switch(self, transition: Transition, taken: Sequence[HeldMessage]) -> SwitchReaction:
        name = transition.step.component
        before = self.state.cores[self.semantics.index[name]]
        assert isinstance(before, SwitchState)
        return self._switches[name].perform(before, transition, taken, self._real.supplied)

    def _of_controller(self, transition: Transition, taken: Sequence[HeldMessage], later: int) -> ControllerReaction:
        side, real = self._controller, self._real
        side.early, side.may_be_early = real.early, later > 0
        reaction = side.perform(transition, taken, real.roles, real.supplied)
        return side.early + reaction

    def _agreements(
        self, transition: Transition, compare: Callable[[Transition], Agreement]
    ) -> Iterator[tuple[Transition, Agreement]]:
        """Yield the step with its comparison, and then the other outcomes of the same input with theirs."""
        yield transition, compare(transition)
        for other in alternatives(self.semantics, self.state, transition):
            yield other, compare(other)

    def _chosen(
        self, transition: Transition, agreements: Iterator[tuple[Transition, Agreement]], adopt: bool
    ) -> tuple[Transition, Agreement]:
        """The outcome that was observed: another one that the model allows is a choice, and no difference."""
        _, first = next(agreements)
        if not first.contrasts:
            return transition, first
        for other, agreement in agreements:
            if not agreement.contrasts:
                if adopt:
                    return other, agreement
                obstacle = Obstacle.APP_CHOICE if other.step.component == CONTROLLER else Obstacle.SWITCH_CHOICE
                chosen, wanted = (each.step.choice or "another outcome" for each in (other, transition))
                raise StepImpossible(obstacle, f"the trace has {wanted}, and {transition.step.component} took {chosen}")
        return transition, first

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


def alternatives(semantics: Semantics, state: State, transition: Transition) -> list[Transition]:
    """The other outcomes of the same input, without faults of channels."""
    return [
        other
        for other in semantics.named(state, transition.step)
        if other.step.message == transition.step.message
        and other.outcome != transition.outcome
        and other.step.faults == transition.step.faults
    ]
