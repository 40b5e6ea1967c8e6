"""Which orderings of a path matter, and which would remove it if they were enforced.

Two steps of one component are a race if the later one could have come first: neither it nor anything that it was sent
by depends on the earlier one. The later step may be one that is not taken on the path: its message still waits at the
end. Each race is tried in the other order: the later step is taken before the earlier one and the rest is followed
loosely. The order matters if the property then holds.

What would remove the path is found by search: all orders of the path's own inputs, with a rule that keeps the two steps
in the other order. A rule is about all steps of the two kinds, as a change of a program would be; if both are of one
kind, it is about these two.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple, TypeAlias

from sdnloom.engine.counterexample.follow import Follower, is_alike
from sdnloom.engine.counterexample.own_inputs import OrdersSearch, Rule, own_inputs, search_orders
from sdnloom.engine.model import Mode, Step
from sdnloom.engine.semantics import State, Transition

SendersOf: TypeAlias = Callable[[Sequence[Transition]], list[set[int]]]  # for each step those that sent what it takes

MORE_STEPS = 50  # beyond the length of the path, in which a run in another order may come to its end


class OrderRule(Enum):
    """How steps of the two kinds are kept in the other order."""

    BARRIER = "barrier"  # what the second one's sender sent for the first is not taken where the second is enabled
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
    """A step of a path and another step of its component that could have come before it.

    `first` and `second` are positions; `second` is None if the other step is not taken on the path: its message
    waits at the end. `other` is that step. `matters`: the property holds if these two come in the other order and
    the rest is followed loosely. `sender` is the step that sent what the other one takes; `held` are the steps that
    lead to the first one and take what the same component sent then or later: with a barrier they would wait.
    `enforced` are the searches under rules, the last one being the one to go by; without any, nobody has asked.
    """

    first: int
    second: int | None
    other: Transition
    matters: bool
    sender: int | None = None
    held: tuple[int, ...] = ()
    enforced: tuple[RuleResult, ...] = ()

    @property
    def removes(self) -> bool | None:
        """Whether the other order, enforced, leaves no violation with the path's inputs; None if that is not known."""
        return self.enforced[-1].removes if self.enforced else None


def races(
    follower: Follower,
    path: Sequence[Transition],
    senders_of: SendersOf,
    out_of_time: Callable[[], bool] = lambda: False,
) -> list[Ordering]:
    """The races of a path to the follower's goal, each tried in the other order.

    Left out are pairs with a step of the component between them that is in a race that matters with one of the two.
    """
    work = _Races(follower, path, senders_of, out_of_time)
    return [*work.taken(), *work.waiting()]


class _Races:
    def __init__(
        self,
        follower: Follower,
        path: Sequence[Transition],
        senders_of: SendersOf,
        out_of_time: Callable[[], bool],
    ) -> None:
        self.follower, self.path, self.out_of_time = follower, tuple(path), out_of_time
        self.senders_of, self.senders = senders_of, senders_of(path)
        self.before = _ancestors(path, self.senders)

    def taken(self) -> list[Ordering]:
        """Races of two steps of the path, in the order of the second ones."""
        path, senders, found = self.path, self.senders, []
        mattering: set[tuple[int, int]] = set()
        for second in range(len(path)):
            needed = set(senders[second]).union(*(self.before[each] for each in senders[second]))
            for first in reversed(range(second)):
                if not self._may_race(first, second) or first in needed or self.out_of_time():
                    continue
                between = range(first + 1, second)
                if any((first, n) in mattering or (n, second) in mattering for n in between):
                    continue
                violates = self._in_other_order(first, second, needed)
                if violates is not None:
                    sender = max(senders[second], default=None)
                    found.append(self._ordering(first, second, path[second], not violates, sender))
                    if not violates:
                        mattering.add((first, second))
        return found

    def waiting(self) -> list[Ordering]:
        """Races of a step of the path and one that is not taken, the last steps first."""
        found: list[Ordering] = []
        for first in reversed(range(len(self.path))):
            before = self.path[:first]
            for other in self.follower.transitions(self.follower.state_after(before)):
                if self.out_of_time() or not self._waits(first, other):
                    continue
                matters = not self._leads_to_goal([*before, other], self.path[first:])
                sender = max(self.senders_of((*before, other))[-1], default=None)
                found.append(self._ordering(first, None, other, matters, sender))
        return found

    def _ordering(
        self, first: int, second: int | None, other: Transition, matters: bool, sender: int | None
    ) -> Ordering:
        held = () if sender is None else self._held(sender, first, second, other)
        return Ordering(first, second, other, matters, sender, held)

    def _held(self, sender: int, first: int, second: int | None, other: Transition) -> tuple[int, ...]:
        """The steps that take what the sender's component sent then or later, and without which the first is not.

        Of two messages that were sent together to one channel it is not known which came first, so none is held.
        """
        owner = self.path[sender].component.name
        together = {sender} if self.path[first].action.take == other.action.take else set()
        return tuple(
            step
            for step in sorted((self.before[first] | {first}) - {second})
            if any(
                each >= sender and self.path[each].component.name == owner
                for each in (self.senders[step] - together if step == first else self.senders[step])
            )
        )

    def _may_race(self, first: int, second: int) -> bool:
        """Whether the steps are of one component, and not the same input twice."""
        one, other = self.path[first], self.path[second]
        if one.component.name != other.component.name:
            return False
        return one.step.message is not None or not is_alike(one.step, other.step)

    def _waits(self, first: int, other: Transition) -> bool:
        """Whether a step of the component must happen, is not the step itself with another choice, nor taken later."""
        if other.component.name != self.path[first].component.name or other.step.faults:
            return False
        return other.action.mode is Mode.MUST and not any(_same(other, each) for each in self.path[first:])

    def _in_other_order(self, first: int, second: int, needed: set[int]) -> bool | None:
        """Whether the property is violated if the second step comes before the first; None if it cannot come then."""
        moved = [*(n for n in range(first + 1, second) if n in needed), second]
        taken = list(self.path[:first])
        state = self.follower.state_after(taken)
        for position in moved:
            following = self.follower.same_message(state, self.path[position].step)
            if following is None:
                return None
            taken.append(following)
            state = following.state
            if self.follower.found(state) is not None:
                return True
        rest = [each for n, each in enumerate(self.path) if n >= first and n not in moved]
        return self._leads_to_goal(taken, rest)

    def _leads_to_goal(self, taken: list[Transition], rest: Sequence[Transition]) -> bool:
        if self.follower.found(taken[-1].state) is not None:
            return True
        most = 2 * len(self.path) + MORE_STEPS
        return self.follower.loosely(taken, [each.step for each in rest], most) is not None


def _same(one: Transition, other: Transition) -> bool:
    """Whether two steps take the same message by the same action, whatever their choices."""
    return one.step[:3] == other.step[:3]


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
    held = [path[step].step for step in ordering.held]
    for rule in OrderRule if held else (OrderRule.NOT_BEFORE, OrderRule.LAST):
        waiting = held if rule is OrderRule.BARRIER else [path[ordering.first].step]
        kept = _rule(rule, waiting, ordering.other.step)
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


def most_useful(orderings: Sequence[Ordering]) -> tuple[Ordering, ...]:
    """The orderings, of those that matter with one waiting message only one: the first that removes the path."""
    kept: list[Ordering] = []
    for each in orderings:
        rivals = [n for n, other in enumerate(kept) if _is_rival(each, other)]
        if not rivals:
            kept.append(each)
        elif each.removes and (not kept[rivals[0]].removes or each.first < kept[rivals[0]].first):
            kept[rivals[0]] = each
    return tuple(kept)


def _is_rival(one: Ordering, other: Ordering) -> bool:
    mattering = one.matters and other.matters and one.second is None and other.second is None
    return mattering and _same(one.other, other.other)


def _removed(searched: OrdersSearch) -> bool | None:
    if searched.path is not None:
        return False
    return True if searched.stopped is None else None


def _rule(rule: OrderRule, waiting: Sequence[Step], second: Step) -> Rule:
    """The rule that steps like the waiting ones wait: for steps like the second, or until nothing else must happen."""
    exact = [is_alike(each, second) for each in waiting]  # two packets, say: then only these are meant

    def is_second(each: Transition) -> bool:
        return each.step == second if any(exact) else _is_like(each.step, second)

    def waits(each: Transition) -> bool:
        return not is_second(each) and any(
            each.step == one if alike else _is_like(each.step, one) for one, alike in zip(waiting, exact, strict=True)
        )

    def not_before(state: State, enabled: Sequence[Transition]) -> Sequence[Transition]:
        if any(is_second(each) for each in enabled):
            return [each for each in enabled if not waits(each)]
        return enabled

    def last(state: State, enabled: Sequence[Transition]) -> Sequence[Transition]:
        if any(each.action.mode is Mode.MUST and not waits(each) for each in enabled):
            return [each for each in enabled if not waits(each)]
        return enabled

    return last if rule is OrderRule.LAST else not_before


def _is_like(step: Step, other: Step) -> bool:
    return is_alike(step, other) and step.choice == other.choice


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
