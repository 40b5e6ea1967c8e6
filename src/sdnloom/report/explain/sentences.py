"""Orderings of steps in sentences: which matter, and what would remove the trace."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from sdnloom.actors.state import ActorState
from sdnloom.engine.counterexample.explanation import PathExplanation
from sdnloom.engine.counterexample.orderings import Ordering, OrderRule, RuleResult
from sdnloom.engine.semantics import Transition
from sdnloom.engine.stable_text import printable_text
from sdnloom.network.events import HostMoved, Sent
from sdnloom.network.openflow import OpenFlowMessage
from sdnloom.network.packet import Packet
from sdnloom.network.packet_id import written_id
from sdnloom.network.switch_component import EpochMessage
from sdnloom.report.describe import Names, counted
from sdnloom.report.step_words import StepMemory, step_words
from sdnloom.report.view.result_view import OrderingView

IsControl: TypeAlias = Callable[[Transition], bool]  # whether a switch obeys a message of the controller in the step


def is_control_message(transition: Transition) -> bool:
    """Whether a switch obeys a message of the controller in this step of a scenario."""
    return transition.step.action == "of" and isinstance(_message(transition), OpenFlowMessage)


def step_label(transition: Transition) -> str:
    """A step in two or three words: the component, and what it takes or does."""
    return f"{transition.step.component}: {_what(transition)}"


def ordering_text(explanation: PathExplanation, ordering: Ordering) -> str:
    """Which order the steps have, and what happens in the other one."""
    first = f"step {ordering.first + 1} ({step_label(explanation.transitions[ordering.first])})"
    if ordering.second is not None:
        second = f"step {ordering.second + 1} ({step_label(ordering.other)})"
    else:
        second = f"{_other(ordering)}, which still waits at the end"
    other = "the property holds" if ordering.matters else "the violation stays"
    return f"{first} before {second}: with these two swapped {other}"


def removal_text(explanation: PathExplanation, ordering: Ordering, is_control: IsControl = is_control_message) -> str:
    """What the other order, enforced, does about the violation; empty for an ordering that nobody looked into."""
    if not ordering.matters:
        return ""
    if explanation.is_environment(ordering):
        return "the environment decides this order, so a program cannot enforce the other one"
    if not ordering.enforced:
        return "whether the other order, enforced, removes this trace was not tried"
    last = ordering.enforced[-1]
    states = counted(last.states, "state")
    if last.removes:
        return (
            f"{_cure(explanation, ordering, last, is_control)} removes this trace: no order of its inputs violates the "
            f"property then (a search of {states})"
        )
    if last.removes is None:
        return f"whether the other order, enforced, removes this trace is not known: {last.stopped}"
    return (
        f"the other order, enforced, does not remove it: another order of its inputs violates the property ({states})"
    )


def by_use(explanation: PathExplanation, is_control: IsControl) -> list[Ordering]:
    """The orderings that matter, those first whose other order a program can enforce and that remove the trace.

    Of these a rule that comes too late for a packet is first: control messages in another order than they were sent
    are rarely a cure.
    """

    def worth(ordering: Ordering) -> tuple[int, bool]:
        if explanation.is_environment(ordering):
            return 3, False
        known = {True: 0, None: 1, False: 2}[ordering.removes]
        return known, is_control(explanation.transitions[ordering.first])

    return sorted(explanation.mattering, key=worth)


def ordering_views(
    explanation: PathExplanation, is_control: IsControl = is_control_message
) -> tuple[OrderingView, ...]:
    """The orderings for pictures and exports, those that matter first.

    Of a step that is not taken on the path, the number is that of the step that sent its message.
    """
    rest = [each for each in explanation.orderings if not each.matters]
    return tuple(
        OrderingView(
            min(each.first + 1, _number(each)),
            max(each.first + 1, _number(each)),
            "; ".join(filter(None, (ordering_text(explanation, each), removal_text(explanation, each, is_control)))),
            each.matters,
            each.removes,
        )
        for each in (*by_use(explanation, is_control), *rest)
    )


def _number(ordering: Ordering) -> int:
    """The number of the other step, or of the one that sent its message; of the first step if that was the start."""
    place = ordering.sender if ordering.second is None else ordering.second
    return (ordering.first if place is None else place) + 1


def is_barrier_cure(explanation: PathExplanation, ordering: Ordering, is_control: IsControl) -> bool:
    """Whether a barrier removes the trace: a switch obeys the second message, and what was sent for the first waits."""
    return bool(ordering.enforced) and ordering.enforced[-1].rule is OrderRule.BARRIER and is_control(ordering.other)


def _cure(explanation: PathExplanation, ordering: Ordering, last: RuleResult, is_control: IsControl) -> str:
    first, number = explanation.transitions[ordering.first], ordering.first + 1
    if is_barrier_cure(explanation, ordering, is_control):
        return f"a barrier between {_other(ordering)} and what leads to step {number}"
    if last.rule is OrderRule.BARRIER:
        return f"to let what leads to step {number} wait for {_other(ordering)}"
    if last.rule is OrderRule.NOT_BEFORE:
        return f"making step {number} ({step_label(first)}) wait for {_other(ordering)}"
    return f"making step {number} ({step_label(first)}) wait until nothing else must happen"


def _other(ordering: Ordering) -> str:
    """The other step, by its number or by the step that sent its message."""
    what = _what(ordering.other)
    if ordering.second is not None:
        is_message = _message(ordering.other) is not None
        return f"the {what} of step {ordering.second + 1}" if is_message else f"step {ordering.second + 1}"
    if ordering.sender is None:
        return f"the {what} that waits at {ordering.other.step.component} from the start"
    return f"the {what} that step {ordering.sender + 1} sent to {ordering.other.step.component}"


def _message(transition: Transition) -> object:
    message = transition.step.message
    return message.message if isinstance(message, EpochMessage) else message


def _what(transition: Transition) -> str:
    step, message = transition.step, _message(transition)
    if isinstance(message, OpenFlowMessage):
        return type(message).__name__
    if packets := _packets(message):
        return f"packet {_packet_names(packets)}".rstrip()
    if isinstance(transition.outcome.core, ActorState):
        return f"{step.action} [{step.choice}]" if step.choice else step.action
    sent = [event.packet for event in transition.events if isinstance(event, Sent)]
    if sent and not isinstance(transition.events[0], HostMoved):
        return f"sends {_packet_names(sent) or 'a packet'}"
    return step_words(transition, Names(), StepMemory()).action


def _packet_names(packets: Iterable[Packet]) -> str:
    return ", ".join(dict.fromkeys(name for packet in packets if (name := printable_text(written_id(packet)))))


def _packets(message: object) -> list[Packet]:
    """The packets of a message: itself, or those in its parts."""
    if isinstance(message, Packet):
        return [message]
    return [packet for part in message for packet in _packets(part)] if isinstance(message, tuple) else []
