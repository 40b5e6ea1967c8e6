"""Paths: steps by name and value, their replay, causes and vector clocks."""

from collections.abc import Sequence
from dataclasses import dataclass

from sdnloom.engine.counterexample.message_routes import causes
from sdnloom.engine.model import Step
from sdnloom.engine.semantics import Semantics, State, Transition
from sdnloom.engine.stable_text import stable_text
from sdnloom.errors import SdnloomError

VectorClock = dict[str, int]


class ReplayDivergence(SdnloomError):  # noqa: N818 (a result of a replay)
    """A step of a path that is not enabled in the present system."""

    def __init__(self, position: int, step: Step, offered: Sequence[Step]) -> None:
        self.position, self.step, self.offered = position, step, tuple(offered)
        shown = "\n".join(f"    {describe(one)}" for one in offered[:10]) or "    nothing"
        super().__init__(f"step {position + 1}, {describe(step)}, is not enabled; enabled here:\n{shown}")


@dataclass(frozen=True)
class Path:
    """A sequence of steps from the initial state, without the states: a replay gives them."""

    steps: tuple[Step, ...] = ()

    def __len__(self) -> int:
        return len(self.steps)


def describe(step: Step) -> str:
    """A step as one line of text."""
    message = "" if step.message is None else f" {stable_text(step.message)}"
    choice = f" [{step.choice}]" if step.choice else ""
    faults = f" !{', '.join(step.faults)}" if step.faults else ""
    return f"{step.component}: {step.action}{message}{choice}{faults}"


def same_step(one: Step, other: Step) -> bool:
    """Whether two steps are the same line of a trace. Messages are compared as text: one may be read from a file."""
    return (one.component, one.action, one.choice, one.faults) == (
        other.component,
        other.action,
        other.choice,
        other.faults,
    ) and (one.message is other.message or _message_text(one) == _message_text(other))


def _message_text(step: Step) -> str:
    return step.message.text if isinstance(step.message, QuotedMessage) else stable_text(step.message)


@dataclass(frozen=True)
class QuotedMessage:
    """A message that was read from a file: its text, never evaluated."""

    text: str

    def __repr__(self) -> str:
        return self.text


def replay(semantics: Semantics, path: Path) -> list[Transition]:
    """The transitions of a path. Raises ReplayDivergence at the first step that is not enabled."""
    state = semantics.initial()
    transitions: list[Transition] = []
    for position, step in enumerate(path.steps):
        # Only the action that the step names is evaluated: others may run slow code.
        chosen = next((t for t in semantics.named(state, step) if same_step(t.step, step)), None)
        if chosen is None:
            raise ReplayDivergence(position, step, [t.step for t in semantics.transitions(state)])
        transitions.append(chosen)
        state = chosen.state
    return transitions


def final_state(semantics: Semantics, transitions: Sequence[Transition]) -> State:
    """The state in which a replayed path ends."""
    return transitions[-1].state if transitions else semantics.initial()


def clocks(transitions: Sequence[Transition], known: Sequence[set[int]] | None = None) -> list[VectorClock]:
    """The vector clock after each step: for each component, how many of its steps happened before, itself included.

    `known` are the causes of the steps, if they are known already.
    """
    results: list[VectorClock] = []
    for transition, direct in zip(transitions, causes(transitions) if known is None else known, strict=True):
        clock: VectorClock = {}
        for cause in direct:
            for name, count in results[cause].items():
                clock[name] = max(clock.get(name, 0), count)
        name = transition.component.name
        clock[name] = clock.get(name, 0) + 1
        results.append(dict(sorted(clock.items())))
    return results


def cone(transitions: Sequence[Transition], position: int) -> list[int]:
    """The positions of the steps that the step at `position` depends on, and its own, in order."""
    direct = causes(transitions)
    reached, work = {position}, [position]
    while work:
        fresh = direct[work.pop()] - reached
        reached |= fresh
        work += fresh
    return sorted(reached)
