"""Which orderings of a path matter, and which would remove it if they were enforced.

Two steps of one component are a race if the later one could have come first: neither it nor anything that it was sent
by depends on the earlier one. Each race is tried in the other order: the later step is taken before the earlier one and
the rest is followed loosely. The order matters if the property then holds.

What would remove the path is found by search: all orders of the path's own inputs, with a rule that keeps the two steps
in the other order. A rule is about all steps of the two kinds, as a change of a program would be; if both are of one
kind, it is about these two.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from sdnloom.engine.counterexample.follow import Follower, is_alike
from sdnloom.engine.counterexample.own_inputs import OrdersSearch, Rule, own_inputs, search_orders
from sdnloom.engine.model import Mode, Step
from sdnloom.engine.semantics import State, Transition

MORE_STEPS = 50  # beyond the length of the path, in which a run in another order may come to its end


class OrderRule(Enum):
    """How steps of the two kinds are kept in the other order."""

    NOT_BEFORE = "not before"  # the first is not taken where the second is enabled
    LAST = "last"  # the first is not taken where anything else must happen


class RuleResult(NamedTuple):
    """A search under a rule: `path` violates the property all the same. `removes` is None if it was not exhaustive."""

    rule: OrderRule
    removes: bool | None
    states: int
    stopped: str | None = None
    path: tuple[Transition, ...] | None = None


class Ordering(NamedTuple):
    """Two steps of a path, by position, that can be taken in the other order.

    `matters`: the property holds in the other order. `sender` is the step that sent what the second step takes, and
    `after_sender` says whether the first step depends on it. `enforced` are the searches under rules, the last one
    being the one to go by; without any, nobody has asked.
    """

    first: int
    second: int
    matters: bool
    sender: int | None = None
    after_sender: bool = False
    enforced: tuple[RuleResult, ...] = ()

    @property
    def removes(self) -> bool | None:
        """Whether the other order, enforced, leaves no violation with the path's inputs; None if that is not known."""
        return self.enforced[-1].removes if self.enforced else None


def races(
    follower: Follower,
    path: Sequence[Transition],
    senders: Sequence[set[int]],
    out_of_time: Callable[[], bool] = lambda: False,
) -> list[Ordering]:
    """The races of a path to the follower's goal, in the order of their second steps, each tried in the other order.

    `senders` are for each step the earlier ones that sent what it takes. Of the steps of a component between the two,
    none may be in a race that matters with either.
    """
    before = _ancestors(path, senders)
    found: list[Ordering] = []
    mattering: set[tuple[int, int]] = set()
    for second in range(len(path)):
        needed = set(senders[second]).union(*(before[each] for each in senders[second]))
        for first in reversed(range(second)):
            if path[first].component.name != path[second].component.name or first in needed or out_of_time():
                continue
            if path[first].step.message is None and is_alike(path[first].step, path[second].step):
                continue  # the same input twice
            between = [n for n in range(first + 1, second) if path[n].component.name == path[first].component.name]
            if any((first, n) in mattering or (n, second) in mattering for n in between):
                continue
            violates = _in_other_order(follower, path, first, second, needed)
            if violates is None:
                continue
            sender = max(senders[second], default=None)
            after = sender is not None and sender in before[first]
            found.append(Ordering(first, second, not violates, sender, after))
            if not violates:
                mattering.add((first, second))
    return found


def enforce(
    follower: Follower,
    path: Sequence[Transition],
    ordering: Ordering,
    most_states: int,
    out_of_time: Callable[[], bool] = lambda: False,
    on_progress: Callable[[int], None] = lambda states: None,
) -> Ordering:
    """The ordering with what searches of all orders of the path's inputs say about the other order, enforced."""
    inputs = own_inputs(path)
    results: list[RuleResult] = []
    for rule in OrderRule:
        kept = _rule(rule, path[ordering.first].step, path[ordering.second].step)
        searched = search_orders(
            follower, inputs, most_states, rule=kept, out_of_time=out_of_time, on_progress=on_progress
        )
        results.append(RuleResult(rule, _removed(searched), searched.states, searched.stopped, searched.path))
        if results[-1].removes:
            break
    return ordering._replace(enforced=tuple(results))


def avoidable(
    follower: Follower,
    path: Sequence[Transition],
    most_states: int,
    out_of_time: Callable[[], bool] = lambda: False,
    on_progress: Callable[[int], None] = lambda states: None,
) -> bool | None:
    """Whether some order of all inputs of the path comes to rest without the violation; None if a limit was reached."""

    def in_peace(state: State, left: Sequence[int]) -> bool:
        if any(left) or follower.found(state) is not None:
            return False
        return not any(each.action.mode in (Mode.MUST, Mode.LATE) for each in follower.transitions(state))

    def unviolated(state: State, enabled: Sequence[Transition]) -> Sequence[Transition]:
        return enabled if follower.found(state) is None else ()

    searched = search_orders(
        follower,
        own_inputs(path),
        most_states,
        rule=unviolated,
        out_of_time=out_of_time,
        is_goal=in_peace,
        on_progress=on_progress,
    )
    return True if searched.path is not None else False if searched.stopped is None else None


def _removed(searched: OrdersSearch) -> bool | None:
    if searched.path is not None:
        return False
    return True if searched.stopped is None else None


def _rule(rule: OrderRule, first: Step, second: Step) -> Rule:
    exact = is_alike(first, second)  # two packets, say: then only these are meant

    def is_first(each: Transition) -> bool:
        return each.step == first if exact else is_alike(each.step, first) and each.step.choice == first.choice

    def is_second(each: Transition) -> bool:
        return each.step == second if exact else is_alike(each.step, second) and each.step.choice == second.choice

    def not_before(state: State, enabled: Sequence[Transition]) -> Sequence[Transition]:
        if any(is_second(each) for each in enabled):
            return [each for each in enabled if not is_first(each)]
        return enabled

    def last(state: State, enabled: Sequence[Transition]) -> Sequence[Transition]:
        if any(each.action.mode is Mode.MUST and not is_first(each) for each in enabled):
            return [each for each in enabled if not is_first(each)]
        return enabled

    return not_before if rule is OrderRule.NOT_BEFORE else last


def _ancestors(path: Sequence[Transition], senders: Sequence[set[int]]) -> list[set[int]]:
    """For each step all steps before it that it depends on: by messages and by the order of its component's steps."""
    latest: dict[str, int] = {}
    results: list[set[int]] = []
    for position, transition in enumerate(path):
        component = transition.component.name
        direct = senders[position] | ({latest[component]} if component in latest else set())
        results.append(direct.union(*(results[each] for each in direct)))
        latest[component] = position
    return results


def _in_other_order(
    follower: Follower, path: Sequence[Transition], first: int, second: int, needed: set[int]
) -> bool | None:
    """Whether the property is violated if the second step comes before the first; None if it cannot come before it."""
    taken = list(path[:first])
    state = follower.state_after(taken)
    for position in [*(n for n in range(first + 1, second) if n in needed), second]:
        following = follower.same_message(state, path[position].step)
        if following is None:
            return None
        taken.append(following)
        state = following.state
        if follower.found(state) is not None:
            return True
    done = {*range(first), *(n for n in range(first + 1, second) if n in needed), second}
    guide = [each.step for n, each in enumerate(path) if n not in done]
    return follower.loosely(taken, guide, 2 * len(path) + MORE_STEPS) is not None
