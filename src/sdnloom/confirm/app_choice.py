"""What an app decides itself: timers that fire, random numbers, the order of its threads. No trace can enforce them."""

from collections import defaultdict
from collections.abc import Sequence

from sdnloom.confirm.comparison import NumberRoles, message_contrasts, observed_message
from sdnloom.confirm.controller_side import ControllerSide, messages_by_switch
from sdnloom.confirm.outcome import Obstacle
from sdnloom.confirm.real_parts import ControllerReaction
from sdnloom.confirm.supplied_parts import SuppliedParts
from sdnloom.confirm.taken_step import StepImpossible
from sdnloom.engine.model import Core, Restart
from sdnloom.engine.semantics import Transition
from sdnloom.network.controller_component import ControllerCore
from sdnloom.network.openflow import OpenFlowMessage
from sdnloom.network.program import ClockTick, HasClock, HasThreads, capability

_TIMERS = 12  # that may have fired in one step


def refuse_own_choice(
    side: ControllerSide,
    before: Core,
    transition: Transition,
    reaction: ControllerReaction,
    roles: NumberRoles,
    supplied: SuppliedParts,
) -> None:
    """Raise StepImpossible if the app differs from the step only by something that it decides itself.

    `before` is the core of the controller before the step.
    """
    side.may_be_early = True
    relaxed = side.compare(transition, reaction, roles, supplied)
    after = transition.outcome.core
    assert isinstance(before, ControllerCore)
    assert isinstance(after, ControllerCore)
    if not relaxed.contrasts and _is_of_timers(side, after, relaxed.early):
        raise StepImpossible(
            Obstacle.APP_TIMER,
            "a timer of the app fires in this step, and the trace has it later or never; a longer period of the timer "
            "may help, because the app's clock is the real one",
        )
    expected, observed = messages_by_switch(transition, reaction)
    counts = [{switch: len(found) for switch, found in each.items()} for each in (expected, observed)]
    if reaction.raised or reaction.ended or counts[0] != counts[1]:
        return
    threads = capability(side.program, HasThreads)
    permuted = all(_are_permuted(side, switch, each, observed[switch], roles) for switch, each in expected.items())
    if permuted and threads is not None and threads.has_threads:
        raise StepImpossible(
            Obstacle.APP_CHOICE,
            "the threads of the app send the same messages in another order, and nobody outside can choose it",
        )
    reactions = side.program.handle(before.program, side.given(transition))
    if not isinstance(reactions, Restart) and any(each.drawn for each in reactions):
        raise StepImpossible(
            Obstacle.APP_CHOICE,
            "the app draws random numbers in this step, and in its process they are others than in the trace",
        )


def _are_permuted(
    side: ControllerSide,
    switch: str,
    expected: Sequence[OpenFlowMessage],
    observed: Sequence[bytes],
    roles: NumberRoles,
) -> bool:
    """Whether the observed messages are those expected, in any order."""
    left = [observed_message(data, side.version(switch)) for data in observed]
    for message in expected:
        same = next(
            (each for each in left if not message_contrasts("", switch, message, each, roles.copy(), False)), None
        )
        if same is None:
            return False
        left.remove(same)
    return not left


def _is_of_timers(side: ControllerSide, core: ControllerCore, early: ControllerReaction) -> bool:
    """Whether all of these messages are what the program sends when its next timers fire."""
    if capability(side.program, HasClock) is None or not early.messages:
        return False
    sent: dict[str, list[OpenFlowMessage]] = defaultdict(list)
    program = core.program
    for _ in range(_TIMERS):
        ticks = side.program.handle(program, ClockTick())
        if isinstance(ticks, Restart) or not ticks:
            break
        program = ticks[0].core
        for switch, message in (each for tick in ticks for each in tick.messages):
            sent[switch].append(message)
    for switch, data in early.messages:
        seen = observed_message(data, side.version(switch))
        if all(message_contrasts("", switch, one, seen, NumberRoles(), False) for one in sent[switch]):
            return False
    return True
