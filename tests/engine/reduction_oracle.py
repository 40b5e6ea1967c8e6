"""Comparison of a reduced search with the full one, and executions sorted into traces as an oracle."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sdnloom.engine.loop import LoopSearch
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import ALL, Mode, Needs, System
from sdnloom.engine.path import same_step
from sdnloom.engine.reduction.laws import place_classes_of
from sdnloom.engine.reduction.sleep_sets import SleepSetSearch
from sdnloom.engine.reduction.stubborn_sets import StubbornRules, StubbornSets
from sdnloom.engine.result import Limits
from sdnloom.engine.semantics import Finding, Semantics, State, Transition
from sdnloom.engine.system_graph import SystemGraph


@dataclass(frozen=True)
class Shown:
    """The results that must be equal with and without a reduction."""

    quiescent: frozenset[State]
    settled: frozenset[State]
    found: frozenset[Finding]


def explored(
    tables: Memo, reduction: StubbornSets | None = None, *, order: Any = "bfs", limit: int | None = None
) -> tuple[LoopSearch[int], Shown] | None:
    """A complete search and its results; None if there are more states than the limit."""
    graph = SystemGraph(tables, reduction)
    found: set[Finding] = set()

    def note(spoken: Finding, number: int) -> bool:
        found.add(spoken)
        return False

    kind = SleepSetSearch if reduction is not None and order == "bfs" else LoopSearch
    loop = kind(graph, order=order, limits=Limits(states=limit), on_finding=note)
    loop.run()
    if loop.stopped is not None:
        return None
    quiescent = [state for state in loop.states if graph.is_quiescent(state)]
    return loop, Shown(
        frozenset(map(graph.value, quiescent)),
        frozenset(graph.value(state) for state in quiescent if graph.is_settled(state)),
        frozenset(found),
    )


def at_events(system: System) -> bool:
    """Whether some property is checked at events: then a search checks the cycle proviso."""
    return any(prop.needs in (Needs.EVENT, Needs.ORDER) for prop in system.properties)


# Traces: maximal executions up to swapping neighbours that do not depend on each other.

Execution = tuple[tuple[Any, State], ...]  # (step, state after it)


class Executions:
    """The maximal executions of a system without cycles, on the reference semantics."""

    def __init__(self, system: System) -> None:
        # Memories are no part of a trace.
        self.system = replace(system, properties=())
        self.semantics = Semantics(self.system)
        self._known: dict[State, list[Transition]] = {}
        self._watches = [prop.watches for prop in system.properties]
        self._channels = {channel.name: channel for channel in system.channels}

    def transitions(self, state: State) -> list[Transition]:
        """All transitions from a state."""
        if state not in self._known:
            self._known[state] = self.semantics.transitions(state)
        return self._known[state]

    def every(self, limit: int, reduction: StubbornSets | None = None) -> list[Execution] | None:
        """Every maximal execution, or every one that a reduction keeps; None if there are more than the limit."""
        results: list[Execution] = []
        work: list[tuple[Execution, State]] = [((), self.semantics.initial())]
        while work:
            done, state = work.pop()
            following = self.kept(state, reduction)
            if not following:
                results.append(done)
            work += [((*done, (t.step, t.state)), t.state) for t in following]
            if len(results) + len(work) > limit:
                return None
        return results

    def kept(self, state: State, reduction: StubbornSets | None) -> list[Transition]:
        """The transitions that the reduction keeps, by its slow derivation."""
        following = self.transitions(state)
        kept = None if reduction is None else reduction.subset(place_classes_of(self.semantics, state))
        if kept is None:
            return following
        assert reduction is not None
        numbers = {acting.name: acting.number for acting in reduction.actions}
        return [t for t in following if kept >> numbers[t.component.name, t.action.name] & 1]

    def classes(self, executions: list[Execution]) -> dict[Execution, Execution]:
        """Each execution with the representative of its class."""
        leader = {execution: execution for execution in executions}

        def find(one: Execution) -> Execution:
            while leader[one] != one:
                one = leader[one]
            return one

        for execution in executions:
            for other in self._neighbours(execution):
                leader[find(execution)] = find(other)
        return {execution: find(execution) for execution in executions}

    def _neighbours(self, execution: Execution) -> Iterator[Execution]:
        states = [self.semantics.initial(), *(state for _, state in execution)]
        for place in range(len(execution) - 1):
            before, after = states[place], states[place + 2]
            first, second = execution[place][0], execution[place + 1][0]
            if self._depend(self._of(before, first), self._of(states[place + 1], second)):
                continue
            for t in self.transitions(before):
                if same_step(t.step, second):
                    for u in self.transitions(t.state):
                        if same_step(u.step, first) and u.state == after:
                            swapped = ((second, t.state), (first, after))
                            yield execution[:place] + swapped + execution[place + 2 :]

    def _of(self, state: State, step: Any) -> Transition:
        return next(t for t in self.transitions(state) if same_step(t.step, step))

    def _depend(self, one: Transition, other: Transition) -> bool:
        """Whether the order of two steps matters, by their cells and channels."""
        a, b = one.action, other.action
        if Mode.IDLE in (a.mode, b.mode):
            return True
        names = {(one.component.name, a.name), (other.component.name, b.name)}
        if any(names <= watches for watches in self._watches):
            return True
        same = one.component.name == other.component.name
        (reads, writes), (their_reads, their_writes) = _touched(one), _touched(other)
        if same and (_meet(writes, their_reads) or _meet(reads, their_writes) or _meet(writes, their_writes)):
            return True
        if a.take is not None and a.take == b.take:
            return True
        shared = {channel for channel, _ in one.outcome.sends} & {channel for channel, _ in other.outcome.sends}
        return any(same or not self._channels[c].discipline.many_senders for c in shared)


def _touched(t: Transition) -> tuple[frozenset[Any], frozenset[Any]]:
    """The cells that a step read and wrote."""
    reads, writes = t.outcome.reads, t.outcome.writes
    return t.action.reads if reads is None else reads, t.action.writes if writes is None else writes


def _meet(one: frozenset[Any], other: frozenset[Any]) -> bool:
    return bool(one and other and (one & other or ALL in (one, other)))


def lost_traces(system: System, rules: StubbornRules | None = None, limit: int = 150) -> int | None:
    """How many classes of executions a reduction leaves out; None if there are too many executions."""
    executions = Executions(system)
    full = executions.every(limit)
    if full is None:
        return None
    leaders = executions.classes(full)
    kept = executions.every(limit, StubbornSets(system, rules)) or []
    return len(set(leaders.values()) - {leaders[one] for one in kept})


def difference(system: System, rules: StubbornRules | None = None, limit: int = 150) -> str | None:
    """The difference of a reduced search from the full one, "" for none; None if the system is too large."""
    tables = Memo(system)
    full = explored(tables, limit=limit)
    if full is None:
        return None
    reduced = explored(tables, StubbornSets(system, rules))
    assert reduced is not None
    if full[1] == reduced[1]:
        return ""
    for what in ("quiescent", "settled", "found"):
        one, other = getattr(full[1], what), getattr(reduced[1], what)
        if one != other:
            return f"{what}: lost {sorted(map(str, one - other))[:3]}, invented {sorted(map(str, other - one))[:3]}"
    raise AssertionError("unreachable")
