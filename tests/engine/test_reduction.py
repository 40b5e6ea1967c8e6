"""The reduction against the full search: 10,000 random systems, traces, cycles, and a mutant of every rule."""

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from sdnloom.engine.disciplines import Bag, BarrierBag, Fifo, Lossy, Ports, Reorder
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import NO_FAULT, Action, Channel, Component, Footprint, Mode, Needs, Outcome, Property, System
from sdnloom.engine.reduction.laws import place_classes_of
from sdnloom.engine.reduction.place_classes import ClassRules, Status
from sdnloom.engine.reduction.stubborn_sets import ReductionRefused, StubbornRules, StubbornSets, closure
from sdnloom.engine.result import Holds, SearchOptions, Violated
from sdnloom.engine.search import search
from tests.engine.reduction_oracle import Executions, at_events, difference, explored, lost_traces
from tests.engine.systems import REDUCIBLE, random_system, seeds, with_history

SYSTEMS, SHARES = 10_000, 20
TRACED, TRACE_SHARES = 1_000, 5
WITHOUT_PROVISO = StubbornRules(cycle_proviso=False)
MANY = 1_000_000


def compared(share: int, shares: int, total: int, compare: Callable[[int], Any]) -> Iterator[tuple[int, Any]]:
    """(seed, answer) of the share's part of `total` systems; a seed whose system is too large does not count."""
    answers = ((seed, compare(seed)) for seed in seeds(share, shares, MANY))
    yield from itertools.islice(((seed, answer) for seed, answer in answers if answer is not None), total // shares)


def observed(seed: int) -> System:
    """The random system of a seed with a memory of all its events."""
    return with_history(random_system(seed, needs=REDUCIBLE), 1)


def traced(seed: int) -> System:
    """The random system of a seed without cycles."""
    return random_system(seed, cyclic=False, needs=REDUCIBLE)


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
def test_quiescent_states_events_and_verdicts_are_kept(share):
    checked = 0
    for seed, lost in compared(share, SHARES, SYSTEMS, lambda seed: difference(observed(seed))):
        assert lost == "", f"seed {seed}: {lost}"
        checked += 1
    assert checked == SYSTEMS // SHARES


@pytest.mark.slow
@pytest.mark.parametrize("share", range(TRACE_SHARES))
def test_every_trace_is_kept(share):
    checked = 0
    for seed, lost in compared(share, TRACE_SHARES, TRACED, lambda seed: lost_traces(traced(seed))):
        assert lost == 0, f"seed {seed}: {lost} classes of executions lost"
        checked += 1
    assert checked == TRACED // TRACE_SHARES


@pytest.mark.slow
def test_a_depth_first_search_keeps_the_same():
    for seed in range(200):
        system = observed(seed)
        tables = Memo(system)
        full = explored(tables, limit=100)
        if full is not None:
            reduced = explored(tables, StubbornSets(system), order="dfs")
            assert reduced is not None
            assert reduced[1] == full[1], seed


@pytest.mark.slow
def test_search_gives_the_same_verdict_and_violations_with_and_without_reduction():
    violated = 0
    for seed in range(200):
        system = random_system(seed, needs=REDUCIBLE)
        if explored(Memo(system), limit=80) is None:
            continue
        full, reduced = (
            search(system, SearchOptions(engine="loop", reduce=reduce, find_all=True)) for reduce in (False, True)
        )
        assert type(full.verdict) is type(reduced.verdict), seed
        assert _names(full.violations) == _names(reduced.violations), seed
        assert full.never == reduced.never, seed
        violated += isinstance(full.verdict, Violated)
    assert violated > 33


def _names(counterexamples: Any) -> set[tuple[str, str]]:
    return {(one.property, one.message) for one in counterexamples}


@pytest.mark.slow
def test_engine_and_slow_derivation_choose_the_same_steps():
    smaller = 0
    for seed in range(200):
        system = random_system(seed, needs=())
        tables, stubborn = Memo(system), StubbornSets(system, WITHOUT_PROVISO)
        reduced = explored(tables, stubborn, limit=100)
        if reduced is None:
            continue
        graph = reduced[0].graph
        slow = Executions(system)
        for state in reduced[0].states:
            value = graph.value(state)  # type: ignore[attr-defined]
            kept = [t.state for t in slow.kept(value, stubborn)]
            assert kept == [graph.value(after) for after in graph.successors(state)], seed  # type: ignore[attr-defined]
            left = [t.state for t in slow.transitions(value)]
            for after in kept:
                left.remove(after)
            remainder = [graph.value(after) for after in graph.remainder(state)]  # type: ignore[attr-defined]
            assert Counter(remainder) == Counter(left)
            assert graph.is_reduced(state) == bool(left)
            smaller += bool(left)
    assert smaller > 165


def test_the_random_systems_cover_every_discipline_mode_and_property():
    disciplines: Counter[Any] = Counter()
    modes: Counter[Mode] = Counter()
    needs: Counter[Needs] = Counter()
    other: Counter[str] = Counter()
    for seed in range(1000):
        system = random_system(seed)
        for channel in system.channels:
            one = channel.discipline
            inner = type(one.inner) if isinstance(one, Lossy) else None
            disciplines[type(one), inner, isinstance(one, Ports) and bool(one.senders)] += 1
        for component in system.components:
            takes = Counter(action.take for action in component.actions if action.take)
            other["several takers"] += any(count > 1 for count in takes.values())
            for action in component.actions:
                modes[action.mode] += 1
                own = {channel.name for channel in system.channels if channel.to == component.name}
                other["self-send"] += bool(own & action.sends)
        for prop in system.properties:
            needs[prop.needs] += 1
            other["sometimes"] += prop.sometimes
            other["watched memory elsewhere"] += bool(prop.watches) and prop.needs is not Needs.ORDER
    assert set(disciplines) == {
        (Fifo, None, False),
        (Bag, None, False),
        (Reorder, None, False),
        (Ports, None, False),
        (Ports, None, True),
        (BarrierBag, None, False),
        (Lossy, Fifo, False),
        (Lossy, Bag, False),
        (Lossy, Ports, False),
    }
    assert set(modes) == set(Mode) - {Mode.LATE}  # test_late.py has it
    assert set(needs) == set(Needs)
    assert min([*disciplines.values(), *modes.values(), *needs.values(), *other.values()]) >= 50


# Mutants: the comparison would notice if a rule were missing.

ALL_RULES = StubbornRules()
MUTANTS = {
    **{
        f"without {rule} of enabled actions": StubbornRules(enabled=ALL_RULES.enabled - {rule})
        for rule in ALL_RULES.enabled
    },
    **{
        f"without {rule} of refused actions": StubbornRules(refused=ALL_RULES.refused - {rule})
        for rule in ALL_RULES.refused
    },
    **{
        f"without disturbers of {status.name} actions": StubbornRules(disturbers=ALL_RULES.disturbers - {status})
        for status in Status
    },
    "without watches": StubbornRules(watched=False),
    "with an environment action as key": StubbornRules(keys=frozenset({Mode.MUST, Mode.MAY})),
}


# Systems that tell mutants which few others tell; looked at first, and any other may stand in for them.
TELLING = {
    "without cells of refused actions": 118,
    "without disturbers of REFUSED actions": 609,
    "without input of refused actions": 920,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_a_missing_rule_is_caught(name):
    order = itertools.chain([TELLING.get(name, 0)], range(SYSTEMS))
    assert any(_notices(seed, MUTANTS[name]) for seed in order)


def _notices(seed: int, mutant: StubbornRules) -> bool:
    # The true reduction shows what the full search shows (above), and is cheaper to compare with.
    system = observed(seed)
    tables = Memo(system)
    true = explored(tables, StubbornSets(system), limit=150)
    if true is not None:
        mutated = explored(tables, StubbornSets(system, mutant))
        assert mutated is not None
        if mutated[1] != true[1]:
            return True
    return bool(lost_traces(traced(seed), mutant))


# What an action may do with other messages than those offered, and in other cores: made by hand, for it is rare.


def _copying(waits: tuple[str, ...], sends: bool, looks: bool) -> System:
    """A sets x; a reader copies x to z on request and, with `looks`, only if B has set y before."""
    x, y, z = (frozenset({name}) for name in "xyz")

    def read(core: tuple[int, int, int], message: str) -> list[Outcome]:
        if message == "copy" and (core[1] or not looks):
            return [Outcome((core[0], core[1], 1 + core[0]), reads=x | y, writes=z)]
        return [Outcome(core, reads=y, writes=frozenset())]

    def may(core: Any, before: Any, message: str) -> Footprint:
        return Footprint(x | y, z, frozenset()) if message == "copy" else Footprint(y, frozenset(), frozenset())

    def once(place: int) -> Any:
        def step(core: tuple[int, int, int], _: Any) -> list[Outcome]:
            return [] if core[place] else [Outcome((*core[:place], 1, *core[place + 1 :]))]

        return step

    reader = Component(
        "R",
        (0, 0, 0),
        (
            Action("x", once(0), reads=x, writes=x),
            Action("y", once(1), reads=y, writes=y, mode=Mode.MAY if looks else Mode.IDLE),
            Action("read", read, "told", reads=x | y, writes=z, footprint=may),
        ),
    )

    told = (*waits, "copy") if sends else waits

    def tell(core: int, _: Any) -> list[Outcome]:
        return [Outcome(1, tuple(("told", message) for message in told))] if core == 0 else []

    teller = Component("T", 0, (Action("tell", tell, None, frozenset({"told"})),))
    return System((reader, teller), (Channel("told", "R", Fifo()),))


RARE = {
    "without what changes a handling": (StubbornRules(changed=False), _copying(("copy",), sends=False, looks=True)),
    "without changed handling": (
        StubbornRules(classes=ClassRules(others=False)),
        _copying(("copy",), sends=False, looks=True),
    ),
    "without messages behind the first": (
        StubbornRules(classes=ClassRules(behind=False)),
        _copying(("nothing", "copy"), sends=False, looks=False),
    ),
    "without who sends what is to come": (StubbornRules(coming=False), _copying((), sends=True, looks=False)),
    "without messages to come": (
        StubbornRules(classes=ClassRules(declared=False)),
        _copying((), sends=True, looks=False),
    ),
}


@pytest.mark.parametrize("name", RARE)
def test_a_missing_class_rule_is_caught(name):
    mutant, system = RARE[name]
    assert difference(system) == ""
    assert difference(system, mutant) not in ("", None)


def test_a_missing_cycle_proviso_is_caught():
    caught = (
        seed
        for seed in range(SYSTEMS)
        if at_events(system := observed(seed)) and difference(system, WITHOUT_PROVISO) not in ("", None)
    )
    assert next(caught, None) is not None


# Cycles.


def _ticking(bad_on_cycle: bool) -> System:
    """A timer that re-arms for ever, and beside it one step whose event is bad."""

    def tick(core: int, _: Any) -> list[Outcome]:
        event = "strike" if bad_on_cycle and core == 3 else "tick"
        return [Outcome(core % 3 + 1, (("clock", "tick"),), (event,))]

    def strike(core: int, _: Any) -> list[Outcome]:
        return [Outcome(1, (), ("quiet" if bad_on_cycle else "strike",))] if core == 0 else []

    timer = Component(
        "timer",
        0,
        (
            Action(
                "arm",
                lambda core, _: [Outcome(1, (("clock", "tick"),))] if core == 0 else [],
                None,
                frozenset({"clock"}),
            ),
            Action("tick", tick, "clock", frozenset({"clock"})),
        ),
    )
    beside = Component("beside", 0, (Action("strike", strike),))
    seen = Property(
        "no strike",
        Needs.EVENT,
        lambda memory, _: "it struck" if memory else None,
        fold=lambda memory, event: memory or event == "strike",
        initial=False,
    )
    return System((timer, beside), (Channel("clock", "timer", Fifo()),), (seen,))


@pytest.mark.parametrize("order", ["bfs", "dfs"])
@pytest.mark.parametrize("reduce", [False, True])
@pytest.mark.parametrize("bad_on_cycle", [False, True])
def test_a_violation_on_or_beside_a_cycle_is_found(bad_on_cycle, reduce, order):
    result = search(_ticking(bad_on_cycle), SearchOptions(engine="loop", reduce=reduce, order=order))
    assert isinstance(result.verdict, Violated)
    assert result.verdict.counterexample.message == "it struck"


@pytest.mark.parametrize("order", ["bfs", "dfs"])
def test_without_the_cycle_proviso_the_timer_hides_the_violation(order):
    system = _ticking(bad_on_cycle=False)
    without = explored(Memo(system), StubbornSets(system, WITHOUT_PROVISO), order=order)
    with_proviso = explored(Memo(system), StubbornSets(system), order=order)
    assert without is not None
    assert with_proviso is not None
    assert (len(without[1].found), len(with_proviso[1].found)) == (0, 1)


def test_a_timer_that_rearms_is_searched_to_its_end():
    timer = Component("timer", 0, (Action("fire", lambda core, _: [Outcome((core + 1) % 5)], mode=Mode.MAY),))
    for reduce in (False, True):
        result = search(System((timer,)), SearchOptions(engine="loop", reduce=reduce))
        assert isinstance(result.verdict, Holds)
        assert (result.statistics.states, result.statistics.transitions) == (5, 5)


@dataclass(frozen=True)
class Sink:
    """A channel that swallows everything."""

    empty: tuple[()] = ()
    many_senders: bool = True
    push_keeps: bool = True

    def undisturbed(self, content: Any) -> None:
        return None

    def push(self, content: Any, message: Any) -> tuple[tuple[str, Any], ...]:
        return ((NO_FAULT, content),)

    def take(self, content: Any) -> tuple[()]:
        return ()


def test_a_budget_that_senders_share_on_a_cycle_is_left_to_each_of_them():
    def for_ever(core: int, _: Any) -> list[Outcome]:
        return [Outcome(core, (("sink", "x"),))]

    def once(core: int, _: Any) -> list[Outcome]:
        return [Outcome(1, (("sink", "y"),))] if core == 0 else []

    sends = frozenset({"sink"})
    dropped = Property(
        "y is kept",
        Needs.EVENT,
        lambda memory, _: "y was dropped" if memory else None,
        fold=lambda memory, event: memory or event.message == "y",
        initial=False,
    )
    system = System(
        (
            Component("X", 0, (Action("send", for_ever, None, sends),)),
            Component("Y", 0, (Action("send", once, None, sends),)),
            Component("R", 0, ()),
        ),
        (Channel("sink", "R", Lossy(1, 0, Sink())),),
        (dropped,),
    )
    assert isinstance(search(system, SearchOptions(engine="loop")).verdict, Violated)
    assert isinstance(search(system, SearchOptions(engine="loop", reduce=True)).verdict, Violated)


# Refusals.


def _one(needs: Needs, **knobs: Any) -> System:
    component = Component("A", 0, (Action("go", lambda core, _: [Outcome(1)] if core == 0 else []),))
    return System((component,), (), (Property("p", needs, lambda memory, columns: None, **knobs),))


def bits(number: int) -> list[int]:
    return [place for place in range(number.bit_length()) if number >> place & 1]


def test_all_that_a_closure_needs_is_in_it_and_a_part_of_what_is_in_it_needs_nothing():
    smaller = 0
    for seed in range(2_000):
        chance = random.Random(seed)
        count = chance.randint(1, 5)
        needed = [sum(1 << n for n in range(3 * count) if chance.random() < 0.2) for _ in range(3 * count)]
        found = closure(0, needed, count)
        everything, before = 1, 0
        while everything != before:
            before = everything
            for node in bits(before):
                everything |= needed[node]
        assert found & 1
        assert not found & ~everything
        for node in bits(found):
            assert (node >= count and found >> node % count & 1) or not needed[node] & ~found
        smaller += found != everything
    assert smaller > 100


def test_a_property_of_every_state_is_refused_by_name():
    with pytest.raises(ReductionRefused, match=r"property 'p' is checked in every state"):
        search(_one(Needs.STATE), SearchOptions(engine="loop", reduce=True))


def test_an_order_property_that_watches_nothing_is_refused_by_name():
    with pytest.raises(ReductionRefused, match=r"property 'p' depends on the order of events but watches no action"):
        search(_one(Needs.ORDER, fold=lambda memory, event: event), SearchOptions(engine="loop", reduce=True))


def test_classes_say_why_an_action_cannot_happen():
    takers = (
        Action("takes", lambda core, message: [Outcome(core)], "in"),
        Action("refuses", lambda core, message: [], "in"),
        Action("starves", lambda core, message: [Outcome(core)], "void"),
    )
    send = Action("send", lambda core, _: [Outcome(1, (("in", "x"),))] if core == 0 else [], None, frozenset({"in"}))
    channels = (Channel("in", "A", Fifo()), Channel("void", "A", Bag()))
    semantics = Executions(System((Component("A", 0, (*takers, send)),), channels)).semantics
    sent = semantics.transitions(semantics.initial())[0].state
    (only,) = place_classes_of(semantics, sent)
    statuses = [one.status for one in only.actions]
    assert statuses == [Status.ENABLED, Status.REFUSED, Status.EMPTY, Status.REFUSED]
    assert only.undisturbed == (None, frozenset())
