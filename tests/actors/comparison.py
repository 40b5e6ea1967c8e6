"""What the search of a program finds, in the terms of `exhaustive`: plain values, no numbers of futures."""

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sdnloom.actors.program import PLAIN, Naming, Program
from sdnloom.actors.search import search
from sdnloom.actors.search.actor_graph import ActorGraph
from sdnloom.actors.search.equivariance import Asymmetry
from sdnloom.actors.search.groups import interchangeable_actors
from sdnloom.actors.search.items import BY_DEFAULT
from sdnloom.actors.search.options import ActorOptions
from sdnloom.actors.search.step_memo import CONTROL_CHANNEL, Evaluation
from sdnloom.actors.state import ActorState
from sdnloom.actors.values import Stored, Symbol, substitute
from sdnloom.engine.limits import LimitWatch
from tests.actors.exhaustive import DEFAULT, Facts, event_of, without_numbers

LEVELS = ("none", "actor", "entry", "context")


@dataclass
class Found(Facts):
    """What a search found, and how it went."""

    rounds: int = 1
    is_symmetric: bool = False  # whether states were renamed
    is_unfair: bool = False  # whether symmetry was given up
    ignored: int = 0  # states that the cycle proviso expanded


def searched(program: Program, reduction: Any, symmetry: bool) -> Found:
    """What the search finds. Finals and events are repeated for every renaming of interchangeable actors.

    Counterexamples are not made, because that takes most of the time of a small search.
    """
    groups = interchangeable_actors(program) if symmetry else ()
    try:
        return _searched(program, reduction, Naming(groups))
    except Asymmetry:
        found = _searched(program, reduction, PLAIN)
        found.is_unfair = True
        return found


def _searched(program: Program, reduction: Any, naming: Naming) -> Found:
    options = ActorOptions(reduction=reduction, find_all=True)
    run = search._Run(program, naming, "", options, lambda event: None, LimitWatch(options.limits))
    run._search()
    graph, states = run.graph, run.loop.states
    finals = [graph.state(state) for state in states if graph.is_final(state)]
    found = Found(len(states), run.loop.transitions, rounds=run.rounds, is_symmetric=bool(naming.groups))
    found.violations = set(run.findings)
    steps = {step for state in states for step in graph.steps(state).enabled}
    for names in renamings(naming):
        found.finals |= {without_numbers(renamed_state(state, names)) for state in finals}
        found.events |= {_event(graph, *step, names) for step in steps}
    return found


def _event(graph: ActorGraph, task: int, step: Evaluation, names: Callable[[Any], Stored]) -> Any:
    locations, items = graph.locations.values, graph.items
    reads = [locations[at] for at, _ in step.reads if locations[at].field != CONTROL_CHANNEL]
    writes = [
        [(locations[at], DEFAULT if item == BY_DEFAULT else items.value(item)[1]) for at, item in effect.writes]
        for effect in step.effects
    ]
    return event_of(items.value(task), reads, writes, names)


def renamings(naming: Naming) -> Iterator[Callable[[Any], Stored]]:
    """Every way to say which individuals the symbols stand for."""
    orders = [list(itertools.permutations(range(len(group.members)))) for group in naming.groups]
    for chosen in itertools.product(*orders):

        def plain(each: Any, chosen: Any = chosen) -> Stored:
            def index(symbol: Symbol) -> int:
                assert symbol.index is not None
                return chosen[symbol.group][symbol.index]  # type: ignore[no-any-return]

            return naming.plain(each, index)

        yield plain


def renamed_state(state: ActorState, names: Callable[[Any], Stored]) -> ActorState:
    """The state with other values in the place of symbols."""
    return ActorState(
        frozenset((at.substituted(names), substitute(value, names)) for at, value in state.cells),
        frozenset((task.substituted(names), count) for task, count in state.tasks),
        frozenset(
            each._replace(actor=substitute(each.actor, names), args=substitute(each.args, names))
            for each in state.failures
        ),
    )


def up_to_names(violations: set[Any]) -> set[tuple[str, str]]:
    """Violations with one name for all peers and one number for their packets (see `random_programs`)."""
    return {
        (name, "; ".join(sorted(re.sub(r"\b[abp]\d?\b|\b[789]\b", "p", part) for part in message.split("; "))))
        for name, message in violations
    }


def differences(facts: Facts, found: Found) -> list[str]:
    """What a search did not find, or found and should not have."""
    lost = [
        f"{len(expected - seen)} {what} of {len(expected)} are lost, {len(seen - expected)} are wrong"
        for what, expected, seen in (
            ("final states", facts.finals, found.finals),
            ("events", facts.events, found.events),
            ("violations", up_to_names(facts.violations), up_to_names(found.violations)),
        )
        if expected != seen
    ]
    if not found.is_symmetric and facts.violations != found.violations:
        lost.append(f"violations differ: {facts.violations ^ found.violations}")
    return lost
