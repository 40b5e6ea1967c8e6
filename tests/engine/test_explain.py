"""Which actions conflict, and the cells, channels and properties that make them."""

import pytest

from sdnloom.engine.disciplines import Bag, Fifo, Reorder
from sdnloom.engine.model import NONE, Action, Channel, Component, Discipline, Mode, Needs, Outcome, Property, System
from sdnloom.engine.reduction.explain import Conflict
from sdnloom.engine.result import SearchOptions
from sdnloom.engine.search import search
from tests.engine.systems import REDUCIBLE, random_system

EXPLAIN = SearchOptions(engine="loop", explain=True)


def cells(*names: str) -> frozenset[str]:
    return frozenset(names)


def counting(sends=(), reads=None, writes=None):
    """A step that counts to three, with what it touches."""

    def step(core, _):
        return [Outcome(core + 1, sends, (), reads, writes)] if core < 3 else []

    return step


def explained(*components: Component, channels=(), properties=(), **options) -> tuple[Conflict, ...]:
    return search(System(components, channels, properties), SearchOptions(explain=True, **options)).conflicts


def test_actions_that_share_a_written_cell_conflict_and_others_do_not():
    actions = (
        Action("a", counting(), reads=cells("x"), writes=cells("x", "y")),
        Action("b", counting(), reads=cells("y", "z"), writes=NONE),
        Action("c", counting(), reads=cells("z"), writes=NONE),
    )
    found = explained(Component("A", 0, actions), Component("B", 0, actions))
    assert found == tuple(Conflict((name, "a"), (name, "b"), ("y",)) for name in "AB")
    assert str(found[0]) == "A: a  <->  A: b   cells: y"


def test_the_cells_of_the_steps_that_were_met_count_before_the_declared_ones():
    wide = frozenset({"x", "y", "z"})
    actions = (
        Action("a", counting(writes=cells("x"), reads=NONE), reads=wide, writes=wide),
        Action("b", counting(writes=cells("x", "y"), reads=NONE), reads=wide, writes=wide),
        Action("c", counting(writes=cells("z"), reads=NONE), reads=wide, writes=wide),
        Action("never", lambda core, _: [], reads=cells("z"), writes=NONE),
    )
    found = explained(Component("A", 0, actions))
    assert found[0] == Conflict(("A", "a"), ("A", "b"), ("x",))
    assert [one.seen for one in found] == [True, False, False, False, False, False]
    assert str(found[-1]) == "A: c  <->  A: never   cells: z (declared, not seen)"


def test_an_action_that_declares_nothing_touches_every_cell():
    actions = (Action("a", counting()), Action("b", counting(), reads=cells("y"), writes=NONE))
    assert explained(Component("A", 0, actions)) == (Conflict(("A", "a"), ("A", "b"), ("*",)),)


def test_cells_conflict_as_the_component_says_and_are_printed_by_it():
    actions = (
        Action("a", counting(), reads=NONE, writes=frozenset({("key", 1)})),
        Action("b", counting(), reads=cells("whole"), writes=NONE),
    )
    meet = {"conflict": lambda one, other: "whole" in (one, other)}
    assert explained(Component("A", 0, actions, **meet))[0].cells == ("key 1", "whole")
    named = Component("A", 0, actions, **meet, cell_text=lambda cell: f"<{cell}>")
    assert explained(named)[0].cells == ("<('key', 1)>", "<whole>")


@pytest.mark.parametrize(
    ("discipline", "senders", "taker"),
    [(Fifo(), ("c",), ()), (Bag(), (), ("c",)), (Reorder(1), ("c",), ("c",)), (Reorder(0), ("c",), ())],
)
def test_senders_and_the_receiver_conflict_as_the_discipline_says(
    discipline: Discipline, senders: tuple[str, ...], taker: tuple[str, ...]
):
    def send(core, _):
        return [Outcome(core + 1, (("c", f"m{core}"),))] if core < 2 else []

    sending = Action("send", send, sends=frozenset({"c"}))
    taking = Action("take", lambda core, message: [Outcome(core)], take="c")
    found = explained(
        Component("A", 0, (sending,)),
        Component("B", 0, (sending,)),
        Component("C", 0, (taking,)),
        channels=(Channel("c", "C", discipline),),
    )
    expected = [Conflict(("A", "send"), ("B", "send"), (), senders)] if senders else []
    expected += [Conflict((name, "send"), ("C", "take"), (), taker) for name in "AB"] if taker else []
    assert sorted(map(str, found)) == sorted(map(str, expected))


def test_actions_that_a_property_watches_conflict():
    component = [Component(name, 0, (Action("go", counting(), mode=Mode.MAY),)) for name in "ABC"]
    watched = frozenset({("A", "go"), ("B", "go")})
    prop = Property("order", Needs.ORDER, lambda memory, columns: None, watches=watched)
    found = explained(*component, properties=(prop,), reduce=True)
    assert found == (Conflict(("A", "go"), ("B", "go"), properties=("order",)),)
    assert str(found[0]) == "A: go  <->  B: go   watched by: order"


def test_both_engines_explain_the_same():
    for seed in range(15):
        system = random_system(seed, needs=REDUCIBLE, cyclic=False)
        loop, kernel = (
            search(system, SearchOptions(engine=engine, find_all=True, explain=True)) for engine in ("loop", "kernel")
        )
        assert loop.conflicts == kernel.conflicts


def test_a_result_names_the_reductions_that_were_used():
    system = System((Component("A", 0, (Action("a", counting()),)),))
    event = Property("e", Needs.EVENT, lambda memory, columns: None)
    assert search(system).reduction == ()
    assert search(system, SearchOptions(reduce=True)).reduction == ("stubborn sets", "sleep sets")
    assert search(system, SearchOptions(reduce=True, order="dfs")).reduction == ("stubborn sets",)
    with_event = System(system.components, (), (event,))
    assert search(with_event, SearchOptions(reduce=True, order="dfs")).reduction == ("stubborn sets", "cycle proviso")
    assert search(system, EXPLAIN).conflicts == ()
