"""Programs that tell interchangeable actors apart in secret have the verdict of a search without symmetry."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from sdnloom.actors.actor import Actor
from sdnloom.actors.program import Group, Monitor, Naming, Program
from sdnloom.actors.search.options import ActorOptions, ActorResult
from sdnloom.actors.search.renamings import SAMPLE_SIZE, Renamings, orbit
from sdnloom.actors.search.search import search_program
from sdnloom.actors.values import Symbol
from sdnloom.engine.result import Incomplete, Limits, Violated

NAMES = ("c1", "c2", "c3")


class Server(Actor):
    """Keeps the order in which clients came, and tells the last one apart as `looks` says."""

    order: tuple[str, ...] = ()

    async def hello(self, who: str) -> None:
        self.order = (*self.order, who)
        self.emit(who)
        if len(self.order) == len(NAMES):
            self.later.last(*self.order)

    async def last(self, *order: str) -> None:
        pass


class Client(Actor):
    server: Any

    async def start(self) -> None:
        self.server.hello(self.name)


def program(looks: Callable[[tuple[str, ...]], bool] = lambda order: False, **checks: Any) -> Program:
    class Looking(Server):
        async def last(self, *order: str) -> None:
            if looks(order):
                raise ValueError("told apart")

    server = Looking("srv")
    clients = [Client(name, server=server) for name in NAMES]
    return Program((server, *clients), tuple(client.start() for client in clients), **checks)


def with_symmetry(given: Program) -> ActorResult:
    return search_program(given, ActorOptions(find_all=True))


WEIGHTS = {"c1": 1, "c2": 5, "c3": 1}


@pytest.mark.parametrize(
    "looks",
    [
        *(lambda order, name=name: order[-1] == name for name in NAMES),
        *(lambda order, wanted=wanted: order == wanted for wanted in itertools.permutations(NAMES)),
        *(lambda order, pair=pair: order[1:] == pair for pair in itertools.permutations(NAMES, 2)),
        lambda order: min(order[1:]) == order[-1],
        lambda order: max(order[:2]) == order[0],
        lambda order: sorted(order) == list(order),
        lambda order: WEIGHTS[order[-1]] == 5,
        lambda order: order[0][1:] + order[1][1:] == "31",
        lambda order: f"{order[2]}{order[0]}".startswith("c2c1"),
        lambda order: sum(ord(name[-1]) * place for place, name in enumerate(order)) % 7 == 5,
    ],
)
def test_a_task_that_looks_at_names_is_searched_without_symmetry(looks: Callable[[tuple[str, ...]], bool]) -> None:
    found = with_symmetry(program(looks))
    assert isinstance(found.result.verdict, Violated)
    assert found.symmetry == "not used: srv.last does not treat interchangeable actors alike"


@pytest.mark.parametrize("wanted", list(itertools.permutations(NAMES)))
def test_a_final_check_of_one_order_of_names_is_found(wanted: tuple[str, ...]) -> None:
    def order(view: Any) -> str | None:
        return "this order" if view["srv"].order == wanted else None

    found = with_symmetry(program(final=[order]))
    assert isinstance(found.result.verdict, Violated)
    assert found.result.verdict.counterexample.property == "order"
    assert found.symmetry == "not used: order does not treat interchangeable actors alike"


@pytest.mark.parametrize("wanted", list(itertools.permutations(NAMES, 2)))
def test_a_monitor_of_two_names_is_found(wanted: tuple[str, ...]) -> None:
    class Pair(Monitor):
        seen: tuple[str, ...] = ()

        def on_event(self, event: Any) -> None:
            self.seen = (*self.seen, event)
            if self.seen == wanted:
                self.report("{} came second", event)

    found = with_symmetry(program(monitors=[Pair("pair")]))
    assert isinstance(found.result.verdict, Violated)
    assert found.symmetry == "not used: srv.hello does not treat interchangeable actors alike"


def test_a_program_that_treats_actors_alike_keeps_its_symmetry() -> None:
    def all_came(view: Any) -> str | None:
        return None if set(view["srv"].order) == set(NAMES) else "one is missing"

    found = with_symmetry(program(lambda order: len(set(order)) < 3, final=[all_came]))
    assert (found.symmetry, found.final_states) == ("interchangeable: {c1, c2, c3}", 1)


def naming(*sizes: int) -> Naming:
    groups = []
    for number, size in enumerate(sizes):
        names = tuple(f"g{number}m{index}" for index in range(size))
        groups.append(Group(names, {"name": names}))
    return Naming(groups)


@pytest.mark.parametrize(
    ("members", "count"),
    [([], 1), ([(0, 0)], 4), ([(0, 3), (0, 1)], 12), ([(0, 0), (1, 1)], 12), ([(0, n) for n in range(4)], 24)],
)
def test_all_renamings_of_a_few_members_are_tried(members: list[tuple[int, int]], count: int) -> None:
    found = {
        tuple(change(Symbol(group, "name", index)) for group, index in members)
        for change in Renamings(naming(4, 3)).of(members)
    }
    assert len(found) == count
    assert all(len(set(names)) == len(members) for names in found)


def test_a_sample_gives_every_member_every_name_and_every_two_both_orders() -> None:
    symbols = [Symbol(0, "name", index) for index in range(10)]
    members = [(0, index) for index in range(10)]
    found = [tuple(map(change, symbols)) for change in Renamings(naming(10)).of(members)]
    assert len(found) == SAMPLE_SIZE
    assert all(len(set(names)) == 10 for names in found)
    for one, other in itertools.permutations(range(10), 2):
        assert len({names[one] for names in found}) == 10
        assert {names[one] < names[other] for names in found} == {True, False}


@pytest.mark.parametrize(("count", "in_part"), [(6, False), (7, True)])
def test_a_report_says_if_not_all_renamings_were_tried(count: int, in_part: bool) -> None:
    server = Server("srv")
    clients = [Client(f"c{number}", server=server) for number in range(count)]
    found = search_program(Program((server, *clients), tuple(client.start() for client in clients)))
    names = ", ".join(client.name for client in clients)
    rest = " (they are too many to try all their renamings)" if in_part else ""
    assert found.symmetry == f"interchangeable: {{{names}}}{rest}"


def test_an_orbit_is_complete_or_none() -> None:
    moves = [lambda word: word[1] + word[0] + word[2:], lambda word: word[0] + word[2] + word[1]]
    assert set(orbit("abb", moves, 3) or ()) == {"abb", "bab", "bba"}
    assert orbit("abc", moves, 5) is None


class Hub(Actor):
    """Keeps a value for a set of two nodes; `look` has no node among its arguments, so its summary knows none."""

    pair: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()
    table: dict[frozenset[str], int] = {}  # noqa: RUF012 (the declaration of a field)
    got: int = -1

    async def hello(self, who: str) -> None:
        self.order = (*self.order, who)
        if len(self.order) == 2:
            self.pair = frozenset(self.order)
            self.later.look()
            self.later.mark(*self.order)

    async def look(self) -> None:
        self.got = self.table.get(self.pair, 0)

    async def mark(self, one: str, other: str) -> None:
        self.table[frozenset({one, other})] = 1


def test_tasks_with_a_key_that_is_a_set_of_members_are_seen_to_conflict() -> None:
    def marked(view: Any) -> str | None:
        return "looked too early" if view["srv"].got == 0 else None

    hub = Hub("srv")
    clients = [Client(name, server=hub) for name in NAMES]
    given = Program((hub, *clients), tuple(client.start() for client in clients), final=[marked])
    found = with_symmetry(given)
    assert isinstance(found.result.verdict, Violated)
    assert (found.symmetry, found.final_states) == ("interchangeable: {c1, c2, c3}", 2)


class Boss(Actor):
    workers: tuple[Any, ...]

    async def begin(self) -> None:
        for each in [worker.work() for worker in self.workers]:
            await each


class Worker(Actor):
    async def work(self) -> None:
        pass


def test_a_task_may_hold_many_futures() -> None:
    workers = [Worker(f"w{number}") for number in range(65)]
    boss = Boss("boss", workers=tuple(workers))
    found = search_program(Program((boss, *workers), (boss.begin(),)), ActorOptions(limits=Limits(states=3)))
    assert found.result.verdict == Incomplete("the limit of 3 states was reached")
