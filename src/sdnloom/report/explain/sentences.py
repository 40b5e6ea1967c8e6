"""Orderings of steps in sentences: which matter, and what would remove the trace."""

from collections.abc import Callable
from typing import TypeAlias

from sdnloom.engine.counterexample.explanation import PathExplanation
from sdnloom.engine.counterexample.orderings import Ordering, OrderRule, RuleResult
from sdnloom.engine.semantics import Transition
from sdnloom.network.openflow import OpenFlowMessage
from sdnloom.network.packet import Packet
from sdnloom.network.switch_component import EpochMessage
from sdnloom.report.describe import counted
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
    first, second = (f"step {n + 1} ({step_label(explanation.transitions[n])})" for n in ordering[:2])
    other = "the property holds" if ordering.matters else "the violation stays"
    return f"{first} before {second}: in the other order {other}"


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


def ordering_views(
    explanation: PathExplanation, is_control: IsControl = is_control_message
) -> tuple[OrderingView, ...]:
    """The orderings for pictures and exports, those that matter first."""
    ordered = sorted(explanation.orderings, key=lambda each: not each.matters)
    return tuple(
        OrderingView(
            each.first + 1,
            each.second + 1,
            "; ".join(filter(None, (ordering_text(explanation, each), removal_text(explanation, each, is_control)))),
            each.matters,
            each.removes,
        )
        for each in ordered
    )


def is_barrier_cure(explanation: PathExplanation, ordering: Ordering, is_control: IsControl) -> bool:
    """Whether a barrier gives the other order: the first step follows from what the controller sent with the second.

    Then the controller can wait for the reply to a barrier before it sends what leads to the first step.
    """
    if not ordering.enforced or ordering.enforced[-1].rule is not OrderRule.NOT_BEFORE:
        return False
    return is_control(explanation.transitions[ordering.second]) and ordering.after_sender


def _cure(explanation: PathExplanation, ordering: Ordering, last: RuleResult, is_control: IsControl) -> str:
    first, second = (explanation.transitions[n] for n in ordering[:2])
    numbers = ordering.first + 1, ordering.second + 1
    if is_barrier_cure(explanation, ordering, is_control):
        return f"a barrier between the {_what(second)} of step {numbers[1]} and what leads to step {numbers[0]}"
    if last.rule is OrderRule.NOT_BEFORE:
        return f"to let {step_label(first)} (step {numbers[0]}) wait for {_what(second)} (step {numbers[1]})"
    return f"to let {step_label(first)} (step {numbers[0]}) wait until nothing else must happen"


def _message(transition: Transition) -> object:
    message = transition.step.message
    return message.message if isinstance(message, EpochMessage) else message


def _what(transition: Transition) -> str:
    step, message = transition.step, _message(transition)
    if isinstance(message, OpenFlowMessage):
        return type(message).__name__
    if _is_packets(message):
        return "packet" if step.action == "packets" else f"{step.action} packet"
    return f"{step.action} [{step.choice}]" if step.choice else step.action


def _is_packets(message: object) -> bool:
    parts = message if isinstance(message, tuple) else (message,)
    return any(isinstance(part, Packet) or (isinstance(part, tuple) and _is_packets(part)) for part in parts)
