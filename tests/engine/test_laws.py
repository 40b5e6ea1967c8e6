"""Disciplines and declarations that lie are found on what a search meets, and honest ones are left alone."""

from dataclasses import dataclass

import pytest

from sdnloom.engine.disciplines import Bag, Fifo, Lossy, Ports, Reorder
from sdnloom.engine.memo import Memo
from sdnloom.engine.model import (
    NO_FAULT,
    NONE,
    Action,
    Channel,
    Component,
    Mode,
    ModelError,
    Needs,
    Outcome,
    Property,
    System,
)
from sdnloom.engine.reduction.laws import check_commutation, check_discipline, check_senders
from sdnloom.engine.result import Holds, SearchOptions, Violated
from sdnloom.engine.search import search
from sdnloom.engine.semantics import Semantics, reachable
from tests.engine.reduction_oracle import explored
from tests.engine.systems import random_system


class QuietBag(Bag):
    """Lies: a push adds something to take."""

    def undisturbed(self, content):
        return None


class QuietReorder(Reorder):
    """Lies as long as there is budget."""

    def undisturbed(self, content):
        return None


class QuietPorts(Ports):
    """Lies: a push to an idle port changes what is received next."""

    def undisturbed(self, content):
        return None


@dataclass(frozen=True)
class Stack(Fifo):
    """Last in, first out; lies that a push keeps what could be taken."""

    def take(self, content):
        return ((NO_FAULT, content[-1], content[:-1]),) if content else ()


@dataclass(frozen=True)
class Counting(Fifo):
    """A queue whose fault says how long it is; lies, because faults are events."""

    def take(self, content):
        return ((f"of {len(content)}", content[0], content[1:]),) if content else ()


LIARS = {
    "a bag that no push disturbs": (QuietBag(), "disturbs nothing", "a"),
    "a reordering queue that no push disturbs": (QuietReorder(1), "disturbs nothing", "a"),
    "ports that no push disturbs": (QuietPorts(), "disturbs nothing", (1, "a")),
    "ports that keep": (Ports(push_keeps=True), "push_keeps", (1, "a")),
    "a stack": (Stack(), "push_keeps", "a"),
    "a label that changes": (Counting(), "push_keeps", "a"),
    "a lossy bag inside that lies": (Lossy(1, 1, QuietBag()), "disturbs nothing", "a"),
}


@pytest.mark.parametrize("name", LIARS)
def test_a_discipline_that_lies_is_found(name):
    discipline, says, message = LIARS[name]
    other = (0, "b") if isinstance(message, tuple) else "b"
    content = discipline.push(discipline.empty, other)[0][1]
    with pytest.raises(ModelError, match=f"channel 'c'.*push of .* by 'X'.*{says}"):
        check_discipline(Channel("c", "R", discipline), content, message, "X")


@pytest.mark.parametrize(
    ("discipline", "one", "other"),
    [
        (Fifo(many_senders=True), "a", "b"),
        (Ports(), (0, "a"), (0, "b")),  # two senders on one port
    ],
)
def test_pushes_that_do_not_commute_are_found(discipline, one, other):
    with pytest.raises(ModelError, match=r"channel 'c'.*says many_senders.*do not commute"):
        check_senders(Channel("c", "R", discipline), discipline.empty, one, other)


def two_senders(discipline, one, other):
    """Two components that send one message each to a third."""

    def send(message):
        return lambda core, _: [Outcome(1, (("c", message),))] if core == 0 else []

    sends = frozenset({"c"})
    return System(
        (
            Component("X", 0, (Action("send", send(one), None, sends),)),
            Component("Y", 0, (Action("send", send(other), None, sends),)),
            Component("R", (), (Action("take", lambda core, message: [Outcome((*core, message))], "c"),)),
        ),
        (Channel("c", "R", discipline),),
    )


@pytest.mark.parametrize(
    "options", [SearchOptions(engine="loop", reduce=True), SearchOptions(engine="loop", checked=True)]
)
@pytest.mark.parametrize(
    ("discipline", "one", "other"),
    [
        (QuietBag(), "a", "b"),
        (QuietReorder(1), "a", "b"),
        (QuietPorts(), (0, "a"), (1, "b")),
        (Ports(push_keeps=True), (0, "a"), (1, "b")),
        (Ports(), (0, "a"), (0, "b")),
        (Stack(), "a", "b"),
        (Fifo(many_senders=True), "a", "b"),
    ],
)
def test_a_search_that_relies_on_a_lie_finds_it(discipline, one, other, options):
    with pytest.raises(ModelError, match="channel 'c'"):
        search(two_senders(discipline, one, other), options)


def test_a_wrong_declaration_of_ports_is_found():
    # Y says that it sends to port 0, and sends to port 1.
    system = two_senders(Ports((("X", 0), ("Y", 0))), (0, "a"), (1, "b"))
    with pytest.raises(ModelError, match="disturbs nothing"):
        search(system, SearchOptions(engine="loop", checked=True))


# Footprints.


def on_cells(first, second, *, reads=NONE, writes=NONE):
    """A component with two steps on the core (x, y); the second one has the given declarations."""
    one, other = frozenset({"x"}), frozenset({"y"})
    return System(
        (
            Component(
                "A",
                (0, 0),
                (
                    Action("first", first, reads=one, writes=one),
                    Action("second", second, reads=reads | other, writes=writes | other),
                ),
            ),
        )
    )


def first(core, _):
    return [Outcome((1, core[1]))] if core[0] == 0 else []


def copying(core, _):
    return [Outcome((core[0], core[0] + 1))] if core[1] == 0 else []


def writing(core, _):
    return [Outcome((5, 1))] if core[1] == 0 else []


def waiting(core, _):
    return [Outcome((core[0], 1))] if core == (0, 0) else []


@pytest.mark.parametrize("second", [copying, writing, waiting])
def test_a_step_that_touches_more_than_it_declares_is_found(second):
    system = on_cells(first, second)
    with pytest.raises(
        ModelError, match=r"call these steps independent, but they do not commute: A: first / A: second"
    ):
        search(system, SearchOptions(engine="loop", checked=True))
    honest = on_cells(first, second, reads=frozenset({"x"}), writes=frozenset({"x"}))
    assert isinstance(search(honest, SearchOptions(engine="loop", checked=True)).verdict, Holds)


@pytest.mark.slow
def test_honest_random_systems_pass_every_check():
    for seed in range(400):
        system = random_system(seed)
        tables = Memo(system, checked=True)
        if explored(tables, limit=60) is not None:
            check_commutation(tables.semantics, reachable(Semantics(system)))


def test_an_idle_step_that_an_environment_step_ends_is_no_wrong_declaration():
    def once(*sends):
        return lambda core, _: [Outcome(1, sends)] if core == 0 else []

    system = System(
        (
            Component("A", 0, (Action("send", once(("c", "x")), None, frozenset({"c"}), mode=Mode.MAY),)),
            Component("B", (), (Action("take", lambda core, message: [Outcome((*core, message))], "c"),)),
            Component("C", 0, (Action("rest", once(), mode=Mode.IDLE),)),
        ),
        (Channel("c", "B", Fifo()),),
    )
    assert isinstance(search(system, SearchOptions(engine="loop", checked=True)).verdict, Holds)


# Folds.


def racing(prop):
    """A and B each happen once, in either order, with an event of their name."""

    def go(name):
        return lambda core, _: [Outcome(1, (), (name,))] if core == 0 else []

    return System(tuple(Component(name, 0, (Action("go", go(name)),)) for name in "AB"), (), (prop,))


def joined(memory, event):
    return memory + event


def says_ba(memory, _):
    return "B before A" if memory.startswith("BA") else None


@pytest.mark.parametrize("needs", [Needs.EVENT, Needs.QUIESCENT, Needs.SETTLED])
def test_a_fold_that_does_not_commute_is_an_error_under_reduction(needs):
    # The reduced search sees one order only, so it must not call the other one impossible.
    with pytest.raises(ModelError, match="property 'order'"):
        search(
            racing(Property("order", needs, says_ba, fold=joined, initial="")),
            SearchOptions(engine="loop", reduce=True),
        )


@pytest.mark.parametrize("needs", [Needs.ORDER, Needs.QUIESCENT, Needs.SETTLED])
def test_a_watched_fold_need_not_commute(needs):
    watches = frozenset({("A", "go"), ("B", "go")})
    prop = Property("order", needs, says_ba, watches, joined, "")
    result = search(racing(prop), SearchOptions(engine="loop", reduce=True))
    assert [one.message for one in result.violations] == ["B before A"]


def test_an_unwatched_event_that_is_remembered_is_an_error_under_reduction():
    prop = Property("order", Needs.ORDER, says_ba, frozenset({("A", "go")}), joined, "")
    assert isinstance(search(racing(prop), SearchOptions(engine="loop")).verdict, Violated)
    with pytest.raises(ModelError, match=r"property 'order' remembers events \('B',\) of \('B', 'go'\)"):
        search(racing(prop), SearchOptions(engine="loop", reduce=True))


def test_an_unwatched_event_that_matters_only_later_is_an_error_under_reduction():
    def fold(memory, event):
        return {("", "B"): "B", ("B", "A"): "BA"}.get((memory, event), memory)

    prop = Property("order", Needs.ORDER, says_ba, frozenset({("B", "go")}), fold, "")
    with pytest.raises(ModelError, match=r"property 'order' remembers events .* of \('A', 'go'\)"):
        search(racing(prop), SearchOptions(engine="loop", reduce=True))


@pytest.mark.parametrize("needs", [Needs.ORDER, Needs.STATE])
def test_without_reduction_a_fold_may_depend_on_every_order(needs):
    prop = Property("order", needs, says_ba, fold=joined, initial="")
    result = search(racing(prop), SearchOptions(engine="loop", checked=True))
    assert [one.message for one in result.violations] == ["B before A"]


def test_a_violation_that_does_not_stay_is_an_error_under_reduction():
    prop = Property("odd", Needs.EVENT, lambda m, _: "odd" if m else None, fold=lambda m, _: 1 - m, initial=0)
    with pytest.raises(ModelError, match="property 'odd' takes back its violation"):
        search(racing(prop), SearchOptions(engine="loop", reduce=True, find_all=True))


@pytest.mark.parametrize("watched", [("X", "send"), ("R", "take")])
def test_faults_belong_to_those_who_can_cause_them(watched):
    # Only the sender's steps can drop, and only the receiver's can overtake.
    discipline = Lossy(1) if watched[0] == "X" else Reorder(1)

    def send(core, _):
        return [Outcome(core + 1, (("c", core),))] if core < 3 else []

    def counted(memory, event):
        return min(memory + 1, 1)

    system = System(
        (
            Component("X", 0, (Action("send", send, None, frozenset({"c"})),)),
            Component("R", 0, (Action("take", lambda core, message: [Outcome(core)], "c"),)),
        ),
        (Channel("c", "R", discipline),),
        (Property("faulty", Needs.ORDER, lambda m, _: "fault" if m else None, frozenset({watched}), counted, 0),),
    )
    result = search(system, SearchOptions(engine="loop", reduce=True))
    assert [one.message for one in result.violations] == ["fault"]
