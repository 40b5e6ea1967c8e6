"""Search of all orders of the inputs of one path, on the reference semantics.

The inputs of a path are its environment steps (MAY) and its faults. Here each kind of them happens at most as often as
on the path; everything else happens as in the system. So the space is small where the path is short. A program of
actors has no inputs in this sense: its messages at the start are there from the start.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from sdnloom.engine.counterexample.follow import Follower
from sdnloom.engine.counterexample.input_budget import fault_kinds
from sdnloom.engine.model import Mode
from sdnloom.engine.semantics import State, Transition

InputKind: TypeAlias = tuple[str, str, str]  # component, action and choice; of a fault "", its channel and kind
# Which of the enabled transitions of a state may be taken.
Rule: TypeAlias = Callable[[State, Sequence[Transition]], Sequence[Transition]]

_PAUSE = 64  # states between two questions whether time is over


def inputs_of(transition: Transition) -> list[InputKind]:
    """The inputs that a transition consists of."""
    step = transition.step
    kinds = [(step.component, step.action, step.choice)] if transition.action.mode is Mode.MAY else []
    return kinds + [("", *kind) for fault in step.faults for kind in fault_kinds(fault)]


def own_inputs(transitions: Sequence[Transition]) -> Counter[InputKind]:
    """The inputs of a path, each with the number of times that it happens."""
    return Counter(kind for transition in transitions for kind in inputs_of(transition))


class OrdersSearch(NamedTuple):
    """The shortest path to the goal, if there is one; the states that were met; why not all of them, if so."""

    path: tuple[Transition, ...] | None
    states: int
    stopped: str | None = None


def search_orders(
    follower: Follower,
    inputs: Mapping[InputKind, int],
    most_states: int,
    most_steps: int | None = None,
    rule: Rule = lambda state, enabled: enabled,
    out_of_time: Callable[[], bool] = lambda: False,
    is_goal: Callable[[State, tuple[int, ...]], bool] | None = None,
    on_progress: Callable[[int], None] = lambda states: None,
) -> OrdersSearch:
    """Search breadth first for the follower's goal, with paths of at most `most_steps` steps, as the rule allows.

    `is_goal` is another goal: it is given a state and how often each input may still happen. `on_progress` is called
    with the number of states so far.
    """
    reached = is_goal or (lambda state, left: follower.found(state) is not None)
    kinds = sorted(inputs)
    left = tuple(inputs[kind] for kind in kinds)
    first = follower.semantics.initial(), left
    if reached(*first):
        return OrdersSearch((), 1)
    parents: dict[tuple[State, tuple[int, ...]], tuple[tuple[State, tuple[int, ...]], Transition] | None]
    parents = {first: None}
    level, depth = [first], 0
    while level and (most_steps is None or depth < most_steps):
        following = []
        for number, key in enumerate(level):
            if number % _PAUSE == 0:
                on_progress(len(parents))
                if out_of_time():
                    return OrdersSearch(None, len(parents), "there was no time left")
            state, budget = key
            after = [(each, _spent(budget, kinds, each)) for each in follower.transitions(state)]
            left_after = {id(each): rest for each, rest in after if rest is not None}
            for each in rule(state, [each for each, rest in after if rest is not None]):
                rest = left_after[id(each)]
                if (each.state, rest) in parents:
                    continue
                parents[each.state, rest] = key, each
                following.append((each.state, rest))
                if reached(each.state, rest):
                    return OrdersSearch(_route(parents, (each.state, rest)), len(parents))
                if len(parents) >= most_states:
                    return OrdersSearch(None, len(parents), f"the limit of {most_states:,} states was reached")
        level, depth = following, depth + 1
    return OrdersSearch(None, len(parents))


def _spent(budget: tuple[int, ...], kinds: list[InputKind], each: Transition) -> tuple[int, ...] | None:
    """What is left of the inputs after a transition; None if it is more than there is."""
    used = inputs_of(each)
    if not used:
        return budget
    left = list(budget)
    for kind in used:
        if kind not in kinds or left[kinds.index(kind)] == 0:
            return None
        left[kinds.index(kind)] -= 1
    return tuple(left)


def _route(
    parents: Mapping[tuple[State, tuple[int, ...]], tuple[tuple[State, tuple[int, ...]], Transition] | None],
    key: tuple[State, tuple[int, ...]],
) -> tuple[Transition, ...]:
    route: list[Transition] = []
    at = parents[key]
    while at is not None:
        route.append(at[1])
        at = parents[at[0]]
    return tuple(route[::-1])
