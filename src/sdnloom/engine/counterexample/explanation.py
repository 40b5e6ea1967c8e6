"""The explanation of a path to a violation: its races, whether their order matters, and what would remove the path."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from sdnloom.engine.counterexample.follow import Follower, Goal
from sdnloom.engine.counterexample.message_routes import senders
from sdnloom.engine.counterexample.orderings import Ordering, SendersOf, avoidable, enforce, most_useful, races
from sdnloom.engine.model import Mode
from sdnloom.engine.semantics import Finding, Semantics, Transition
from sdnloom.engine.stop_points import LimitReached

EXPLAINED_STATES = 20_000  # of each search


@dataclass(frozen=True)
class PathExplanation:
    """The races of a path. `avoidable`: some order of all its inputs comes to rest without the violation.

    `avoidable` is None if that is not known. `stopped`: there was no time to try everything.
    """

    transitions: tuple[Transition, ...]
    found: Finding
    orderings: tuple[Ordering, ...]
    avoidable: bool | None = None
    stopped: bool = False

    @property
    def mattering(self) -> tuple[Ordering, ...]:
        """The orderings that matter."""
        return tuple(each for each in self.orderings if each.matters)

    def is_environment(self, ordering: Ordering) -> bool:
        """Whether the environment decides the order: one of the two steps is an input that nobody has to give."""
        return any(each.action.mode is Mode.MAY for each in (self.transitions[ordering.first], ordering.other))


def explain_path(
    semantics: Semantics,
    transitions: Sequence[Transition],
    found: Finding,
    *,
    senders_of: SendersOf = senders,
    most_states: int = EXPLAINED_STATES,
    out_of_time: Callable[[], bool] = lambda: False,
    on_progress: Callable[[str, int], None] = lambda what, states: None,
) -> PathExplanation:
    """Explain a path of the semantics that ends in the finding; the fewer steps it has, the more this says.

    Each search of all orders of the path's inputs has at most `most_states` states; with 0 none is made. Orders that
    the environment decides are not enforced. `on_progress` is called with what is done and the states so far.
    """
    path, follower = tuple(transitions), Follower(semantics, Goal(found.property))
    orderings: list[Ordering] = []
    explained = PathExplanation(path, found, ())
    can_avoid = None
    try:
        orderings = races(follower, path, senders_of, out_of_time)
        explained = PathExplanation(path, found, tuple(orderings))
        if most_states:
            for number, each in enumerate(orderings):
                if each.matters and not explained.is_environment(each) and not out_of_time():
                    noted = partial(on_progress, f"what if step {each.first + 1} came later")
                    orderings[number] = enforce(follower, path, each, most_states, out_of_time, noted)
            if not any(each.matters for each in orderings):
                noted = partial(on_progress, "looking for an order without the violation")
                can_avoid = avoidable(follower, path, most_states, out_of_time, noted)
    except LimitReached:
        return PathExplanation(path, found, most_useful(orderings), can_avoid, stopped=True)
    return PathExplanation(path, found, most_useful(orderings), can_avoid, out_of_time())
