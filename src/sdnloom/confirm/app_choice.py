"""What an app decides itself: timers that fire, random numbers, the order of its threads. No trace can enforce them."""

from collections.abc import Hashable, Iterator, Sequence
from typing import TypeAlias

from sdnloom.confirm.comparison import NumberRoles, message_contrasts, observed_message
from sdnloom.confirm.controller_side import ControllerSide, messages_by_switch
from sdnloom.confirm.outcome import Obstacle
from sdnloom.confirm.real_parts import ControllerReaction
from sdnloom.confirm.taken_step import StepImpossible
from sdnloom.engine.model import Core, Restart
from sdnloom.engine.semantics import Transition
from sdnloom.network.controller_component import ControllerCore
from sdnloom.network.openflow import OpenFlowMessage
from sdnloom.network.program import ClockTick, HasClock, HasThreads, Program, capability

_TIMERS = 12  # that may have fired in one step
_Sent: TypeAlias = tuple[str, OpenFlowMessage]  # a message and its switch


def refuse_own_choice(
    side: ControllerSide,
    before: Core,
    transition: Transition,
    reaction: ControllerReaction,
    roles: NumberRoles,
) -> None:
    """Raise StepImpossible if the app differs from the step only by something that it decides itself.

    `before` is the core of the controller before the step.
    """
    assert isinstance(before, ControllerCore)
    if _is_of_later(side, before, transition, reaction, roles):
        raise StepImpossible(
            Obstacle.APP_TIMER,
            "the app does in this step what the trace has later or never, because its clock is the real one and a time "
            "was over; a longer period of its timer may help",
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


def _is_of_later(
    side: ControllerSide,
    before: ControllerCore,
    transition: Transition,
    reaction: ControllerReaction,
    roles: NumberRoles,
) -> bool:
    """Whether the program reacts like that when its next timers fire before the step, or after it."""
    if capability(side.program, HasClock) is None or not side.differs_in_messages_only(transition, reaction):
        return False
    observed = [(switch, observed_message(data, side.version(switch))) for switch, data in reaction.messages]
    given = side.given(transition)
    now = side.program.handle(before.program, given)
    says = () if isinstance(now, Restart) else [each.messages for each in now]
    fired: list[_Sent] = []
    for program, messages in [(before.program, ()), *_ticks(side.program, before.program)]:
        fired += messages
        reactions = side.program.handle(program, given)
        for each in () if isinstance(reactions, Restart) else reactions:
            beside = _beside(each.messages, observed, roles)
            if beside is None or (not beside and each.messages in says):
                continue
            later = [sent for _, sends in _ticks(side.program, each.core) for sent in sends]
            if all(any(_is_same(one, sent, roles) for one in fired + later) for sent in beside):
                return True
    return False


def _ticks(program: Program, core: Hashable) -> Iterator[tuple[Hashable, Sequence[_Sent]]]:
    """Yield the cores of a program after one timer, after two, and so on, and what it sends at each."""
    for _ in range(_TIMERS):
        ticks = program.handle(core, ClockTick())
        if isinstance(ticks, Restart) or not ticks:
            return
        core = ticks[0].core
        yield core, [sent for tick in ticks for sent in tick.messages]


def _beside(expected: Sequence[_Sent], observed: Sequence[_Sent], roles: NumberRoles) -> list[_Sent] | None:
    """The observed messages beside those expected, which must be there in their order at each switch; else None."""
    left: list[_Sent] = []
    wanted = {switch: [each for each in expected if each[0] == switch] for switch, _ in expected}
    for each in observed:
        due = wanted.get(each[0])
        if due and _is_same(due[0], each, roles):
            due.pop(0)
        else:
            left.append(each)
    return None if any(wanted.values()) else left


def _is_same(expected: _Sent, observed: _Sent, roles: NumberRoles) -> bool:
    switch = expected[0]
    return switch == observed[0] and not message_contrasts("", switch, expected[1], observed[1], roles.copy(), False)
