"""Steps as text, one line each."""

from collections import Counter
from collections.abc import Sequence

from sdnloom.actors.state import ActorState
from sdnloom.actors.step_words import ArgumentText, ResumedChoice
from sdnloom.engine.model import Step
from sdnloom.engine.path import describe
from sdnloom.engine.semantics import Transition
from sdnloom.network.events import Sent
from sdnloom.report.actors.value_text import argument_words, effects_words
from sdnloom.report.describe import Names, event_words, words


def steps_text(transitions: Sequence[Transition], names: Names) -> list[str]:
    """One line per step, numbered."""
    width = len(str(len(transitions)))
    return [f"  {number:>{width}}  {transition_text(t, names)}" for number, t in enumerate(transitions, 1)]


def transition_text(transition: Transition, names: Names) -> str:
    """The component, its action, the message it takes, and the effects."""
    step = transition.step
    message = "" if step.message is None else f" {_message(transition, names)}"
    if isinstance(transition.outcome.core, ActorState):
        effects = effects_words(transition.events, names)
    else:
        effects = [text for event in transition.events if (text := event_words(event, names)) is not None]
    counts = Counter(text for text in effects if f" {text}" != message)  # a task's packet is already there
    between = "; " if any(", " in text for text in counts) else ", "
    outcome = " -> " + between.join(_times(text, count) for text, count in counts.items()) if counts else ""
    return _line(step, message) + outcome


def offered_text(step: Step, names: Names) -> str:
    """A step that was not taken. Arguments of a task are brief."""
    if not isinstance(step.message, ArgumentText):
        return describe(step)
    return _line(step, f" {argument_words(step.message, names)}")


def _line(step: Step, message: str) -> str:
    shown = step.choice.shown if isinstance(step.choice, ResumedChoice) else step.choice
    choice = f" [{shown}]" if shown else ""
    faults = f" !{', '.join(step.faults)}" if step.faults else ""
    return f"{step.component}: {step.action}{message}{choice}{faults}"


def _message(transition: Transition, names: Names) -> str:
    message = transition.step.message
    if not isinstance(message, ArgumentText):
        return words(message, names)
    return argument_words(message, names, brief=not any(isinstance(event, Sent) for event in transition.events))


def _times(text: str, count: int) -> str:
    return text if count == 1 else f"{text} ({count} times)"
