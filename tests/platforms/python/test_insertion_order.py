"""Plain-Python programs see insertion order as Python does, and states that differ only in it are one otherwise."""

import itertools
from collections import Counter, OrderedDict, defaultdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom import Scenario
from sdnloom.engine.model import Restart
from sdnloom.engine.result import SearchOptions
from sdnloom.network.hosts import Client
from sdnloom.network.network import Network
from sdnloom.network.openflow import Match, Output, PacketIn
from sdnloom.network.program import Call, MessageIn, SwitchUp
from sdnloom.network.topology import single
from sdnloom.platforms.capture.freeze import freeze, frozen_attributes, restore, thaw
from sdnloom.platforms.python.handlers import Net
from sdnloom.platforms.python.insertion_order import MOST_ORDERS, OrderWatch, arranged
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.properties import NoHandlerException

# An oracle: random programs, run directly as Python objects and as programs.

KEYS = ("b", "a", "c")
KINDS = {"dict": dict, "defaultdict": lambda: defaultdict(dict), "Counter": Counter, "OrderedDict": OrderedDict}


class Anything:
    """Does what its orders say: for each call a list of operations on a dict, or on a dict inside of one."""

    def __init__(self, kind: str, deeds: dict[str, tuple[tuple[str, str], ...]]) -> None:
        self.table: Any = KINDS[kind]()
        self.nested: dict[str, Any] = {"x": {}, "list": [{}]}
        self.deeds = deeds

    def external(self, net: Net, name: str) -> None:
        for deed, key in self.deeds[name]:
            self.do(net, deed, key)

    def do(self, net: Net, deed: str, key: str) -> None:
        inner, last = self.nested["x"], self.nested["list"][0]
        match deed:
            case "insert":
                self.table[key] = 1
            case "insert inner":
                inner[key] = last[key] = 1
            case "move":
                inner[key] = inner.pop(key, 0)
            case "remove":
                self.table.pop(key, None)
            case "iterate":
                self.say(net, *self.table)
            case "iterate inner":
                self.say(net, *(each for each, _ in inner.items()))
            case "iterate in a list":
                self.say(net, *dict(last))
            case "sorted":
                self.say(net, *sorted(self.table), *sorted({**inner}))
            case "first":
                self.say(net, next(iter(inner.values()), 0), next(iter(self.table), ""))
            case "pop":
                if inner:
                    self.say(net, inner.popitem()[0])
            case "text":
                self.say(net, repr(inner), str(sorted(self.table.items())))
            case "count":
                self.say(net, len(inner), sum(last.values()), "a" in {*self.table.keys()})

    def say(self, net: Net, *words: object) -> None:
        for word in words:
            net.install("s1", Match.of(in_port=_number(str(word))))


def _number(text: str) -> int:
    return int.from_bytes(text.encode()[-3:], "big") + len(text)


DEEDS = (
    *("insert", "insert inner", "move", "remove", "iterate", "iterate inner", "iterate in a list", "sorted", "first"),
    *("pop", "text", "count"),
)
deeds = st.dictionaries(
    st.sampled_from("pqr"),
    st.lists(st.tuples(st.sampled_from(DEEDS), st.sampled_from(KEYS)), min_size=1, max_size=4).map(tuple),
    min_size=3,
)


def directly(kind: str, wanted: Any, calls: tuple[str, ...]) -> list[Any]:
    """The messages of each call, of an object that lives through all of them."""
    instance, found = Anything(kind, wanted), []
    for name in calls:
        net = Net()
        instance.external(net, name)
        found.append(net.messages)
    return found


def as_program(program: PythonProgram, calls: tuple[str, ...]) -> list[Any] | Restart:
    core, found = program.initial(), []
    for name in calls:
        reactions = program.handle(core, Call(name))
        if isinstance(reactions, Restart):
            return reactions
        core = reactions[0].core
        found.append(list(reactions[0].messages))
    return found


@pytest.mark.slow
@settings(max_examples=50)
@given(st.sampled_from(list(KINDS)), deeds)
def test_every_sequence_of_inputs_has_the_messages_of_direct_execution(kind, wanted):
    program, restarts = PythonProgram(Anything, {"kind": kind, "deeds": wanted}), 0
    sequences = list(itertools.product("pqr", repeat=3))
    while True:
        found = {each: as_program(program, each) for each in sequences}  # until the first restart, to be thrown away
        if not any(isinstance(each, Restart) for each in found.values()):
            break
        restarts += 1
        assert restarts == 1
    assert found == {each: directly(kind, wanted, each) for each in sequences}


class Broadcaster:
    """Installs one rule for each host that it has seen, in the order in which it has seen them."""

    def __init__(self, sort: bool = False) -> None:
        self.seen: dict[str, dict[int, int]] = {"s1": {}}
        self.sort = sort

    def packet_in(self, net, switch, message):
        self.seen[switch][message.in_port] = 1
        ports = sorted(self.seen[switch]) if self.sort else list(self.seen[switch])
        net.install(switch, Match(), *(Output(port) for port in ports if port != message.in_port))


def ports_in(program, *ports):
    core = program.initial()
    for port in ports:
        (reaction,) = program.handle(core, _packet(port))
        core = reaction.core
    return reaction


def _packet(port):
    return MessageIn("s1", PacketIn(Match.of(in_port=port), b"", 0))


def test_a_handler_that_depends_on_insertion_order_asks_for_a_restart_and_sees_it_then():
    program = PythonProgram(Broadcaster)
    before = ports_in(program, 3, 1)
    reason = "the reaction of Broadcaster to PacketIn of s1 depends on the insertion order of a dict"
    assert program.handle(before.core, _packet(2)) == Restart(reason)
    assert ports_in(program, 1, 3).core != ports_in(program, 3, 1).core
    outputs = {each: ports_in(program, *each, 2).messages[0][1].instructions[0].actions for each in ((1, 3), (3, 1))}
    assert outputs == {(1, 3): (Output(1), Output(3)), (3, 1): (Output(3), Output(1))}
    assert program.notes == (
        "the insertion order of dicts is part of the program's state: its reaction to PacketIn of s1 depends on it",
    )
    assert program.reloaded().notes == ()


def test_states_that_differ_only_in_an_order_that_makes_no_difference_are_one():
    program = PythonProgram(Broadcaster, {"sort": True})
    assert ports_in(program, 1, 3).core == ports_in(program, 3, 1).core
    assert ports_in(program, 1, 3, 2).core == ports_in(program, 3, 1, 2).core
    assert program.notes == ()  # three keys have few enough orders to try all


def test_a_report_says_so_where_there_are_too_many_orders_to_try_all():
    program = PythonProgram(Broadcaster, {"sort": True})
    ports_in(program, 1, 2, 3, 4, 5)
    assert program.notes == (
        "states that differ only in the insertion order of dicts are one, and not all orders were tried",
    )


class Picky(Broadcaster):
    """Fails if the higher port was seen first."""

    def packet_in(self, net, switch, message):
        if list(self.seen[switch]) == [2, 1]:
            raise RuntimeError("2 came first")
        self.seen[switch][message.in_port] = 1


@pytest.mark.parametrize("options", [SearchOptions(), SearchOptions(reduce=True), SearchOptions(checked=True)])
def test_a_search_finds_what_goes_wrong_in_one_order_only(options):
    network = Network(single(2), (Client("h1", ("h2",), sends=2), Client("h2", ("h1",))))
    scenario = Scenario(network, PythonProgram(Picky), (NoHandlerException(),), options)
    for _ in range(2):
        report = scenario.check()
        assert report.verdict == "violated"
        assert any("insertion order of dicts is part of the program's state" in line for line in report.bounds)


def test_a_search_with_discovered_packets_finds_it_too():
    network = Network(single(2), (Client("h1", ("h2",), sends=2), Client("h2", ("h1",))))
    report = Scenario(network, PythonProgram(Picky), (NoHandlerException(),)).discovering().check()
    assert report.verdict == "violated"
    assert any("insertion order of dicts is part of the program's state" in line for line in report.bounds)


def test_the_rewritten_twin_of_a_program_that_keeps_the_order_keeps_it():
    program = PythonProgram(Broadcaster)
    program.keep_order()
    twin = program.rewritten()
    assert ports_in(twin, 3, 1).core != ports_in(twin, 1, 3).core


# The parts.

values = st.recursive(
    st.integers(0, 3),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.tuples(inner, inner), st.dictionaries(st.integers(0, 5), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from("abc"), values, max_size=3), st.randoms(use_true_random=False))
def test_an_arrangement_changes_the_order_of_dicts_and_nothing_else(attributes, random):
    rows = frozen_attributes(attributes, "state")
    watch = OrderWatch()
    target = restore(type("Target", (), {})(), rows, watch)
    assert {name: getattr(target, name) for name in attributes} == attributes
    sizes = watch.sizes
    other = arranged(rows, {number: random.sample(range(size), size) for number, size in enumerate(sizes)})
    assert {name: thaw(each) for name, each in other} == attributes
    assert frozen_attributes({name: thaw(each) for name, each in other}, "state") == rows
    assert arranged(rows, {}) == rows


@given(values)
def test_freezing_with_order_keeps_the_order_of_all_dicts(value):
    assert repr(thaw(freeze(value, ordered=True))) == repr(value)


@pytest.mark.parametrize(("size", "orders", "are_all"), [(2, 1, True), (3, 5, True), (4, MOST_ORDERS, False)])
def test_the_first_other_order_is_the_reverse(size, orders, are_all):
    watch = OrderWatch()
    list(restore(type("Target", (), {})(), (("d", freeze(dict.fromkeys(range(size)))),), watch).d)
    found, complete = watch.arrangements()
    assert (len(found), complete) == (orders, are_all)
    assert list(found[0][0]) == list(range(size))[::-1]


LOOKS = {
    "iter": list,
    "items": lambda d: list(d.items()),
    "dict": dict,
    "merge": lambda d: {**d},
    "or": lambda d: d | {},
    "copy": lambda d: d.copy(),
    "update": lambda d: {}.update(d),
    "call": lambda d: dict(**d),
    "repr": repr,
    "reversed": lambda d: list(reversed(d)),
    "unpack": lambda d: [*d],
    "comprehension": lambda d: dict.fromkeys(d, 1),
}


@pytest.mark.parametrize("kind", [dict, lambda items: defaultdict(list, items)], ids=["dict", "defaultdict"])
@pytest.mark.parametrize("look", LOOKS)
def test_every_way_to_see_the_order_is_noticed(look, kind):
    watch = OrderWatch()
    table = thaw(freeze(kind({"a": 1, "b": 2})), watch)
    assert ("a" in table, table.get("c"), table["b"], len(table), bool(table)) == (True, None, 2, 2, True)
    table["c"] = 3
    del table["c"]
    assert watch.seen == set()
    LOOKS[look](table)
    assert watch.seen == {0}


def test_a_switch_that_joins_is_no_reason_to_keep_the_order():
    program = PythonProgram(Broadcaster)
    assert not isinstance(program.handle(program.initial(), SwitchUp("s1", 1, ())), Restart)
