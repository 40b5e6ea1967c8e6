"""Paths: steps by name and value, their replay, causes, vector clocks and minimisation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sdnloom.engine.counterexample.message_routes import causes
from sdnloom.engine.model import Mode, Step
from sdnloom.engine.semantics import Finding, Semantics, State, Transition
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


class MinimisedPath(NamedTuple):
    """A path, and whether it is minimal: no single step can be left out."""

    path: Path
    minimal: bool = True


def minimise(
    semantics: Semantics, path: Path, found: Finding, out_of_time: Callable[[], bool] = lambda: False
) -> MinimisedPath:
    """A path to the same finding that is no longer than the given one; minimal unless there is no time left.

    Tries the causal cone of the last step, then leaves out environment steps with their causal successors, then
    single steps. Each candidate is replayed.
    """

    def finds(candidate: Path) -> bool:
        try:
            transitions = replay(semantics, candidate)
        except ReplayDivergence:
            return False
        return found in semantics.findings(final_state(semantics, transitions))

    if not path.steps or not finds(path):
        return MinimisedPath(path)
    candidate = _keeping(path, cone(replay(semantics, path), len(path) - 1))
    if finds(candidate):
        path = candidate
    path = _without_effects(semantics, path, finds, out_of_time)
    position = len(path) - 1
    while position >= 0 and not out_of_time():
        candidate = _keeping(path, [n for n in range(len(path)) if n != position])
        if finds(candidate):
            path, position = candidate, len(candidate)  # steps that were needed before may not be now
        position -= 1
    return MinimisedPath(path, minimal=position < 0)


def _without_effects(
    semantics: Semantics, path: Path, finds: Callable[[Path], bool], out_of_time: Callable[[], bool]
) -> Path:
    """The path without the environment steps that are not needed, each left out with the steps that it caused."""
    position = len(path) - 1
    while position >= 0 and not out_of_time():
        transitions = replay(semantics, path)
        if transitions[position].action.mode is not Mode.MUST:
            direct = causes(transitions)
            gone = {position}
            for later in range(position + 1, len(path)):
                if direct[later] & gone:
                    gone.add(later)
            candidate = _keeping(path, [n for n in range(len(path)) if n not in gone])
            if finds(candidate):
                path = candidate
                position = min(position, len(path))
        position -= 1
    return path


def _keeping(path: Path, positions: Sequence[int]) -> Path:
    return Path(tuple(path.steps[position] for position in positions))
