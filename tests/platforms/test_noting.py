"""What handlers read and change of their program's tables, and promises about it."""

from collections import defaultdict
from typing import Any

import pytest

from sdnloom.check import Scenario
from sdnloom.engine.result import Options
from sdnloom.network.controller import Came, Joined
from sdnloom.network.hosts import Client, Replier
from sdnloom.network.network import Network
from sdnloom.network.openflow import BarrierReply, PacketIn
from sdnloom.network.parts import Attribute, Key, conflict, text_of
from sdnloom.network.topology import linear
from sdnloom.platforms.python import ProgramError, PythonProgram
from tests.reducing import compare

HELLO = Came("s1", BarrierReply())


def touched(do: Any) -> tuple[set[Any], set[Any]]:
    """What a handler with this body reads of tables, and what it changes."""

    class Program:
        def __init__(self) -> None:
            self.table = {"s1": {"x": 1}, "s2": {}}
            self.count = 0
            self.lists: defaultdict[str, list[int]] = defaultdict(list)

        def barrier_reply(self, net: Any, switch: str, message: Any) -> None:
            do(self, switch)

    program = PythonProgram(Program)
    (reaction,) = program.handle(program.initial(), HELLO)
    assert reaction.reads is not None
    assert reaction.writes is not None
    assert reaction.reads >= reaction.writes
    return set(reaction.reads - reaction.writes - {Attribute("count")}), set(reaction.writes)


S1, S2, TABLE = Key("table", "s1"), Key("table", "s2"), Attribute("table")


@pytest.mark.parametrize(
    ("do", "reads", "writes"),
    [
        (lambda me, switch: None, set(), set()),
        (lambda me, switch: me.table[switch], {S1}, set()),
        (lambda me, switch: me.table.get("s9"), {Key("table", "s9")}, set()),
        (lambda me, switch: "s2" in me.table, {S2}, set()),
        (lambda me, switch: me.table[switch].update(y=2), set(), {S1}),
        (lambda me, switch: me.table.pop("s2"), set(), {S2}),
        (lambda me, switch: me.table.setdefault("s3", {}), set(), {Key("table", "s3")}),
        (lambda me, switch: me.table.setdefault("s1", {}), {S1}, set()),
        (lambda me, switch: len(me.table), {TABLE}, set()),
        (lambda me, switch: sorted(me.table), {TABLE}, set()),
        (lambda me, switch: dict(me.table), {TABLE}, set()),
        (lambda me, switch: {**me.table}, {TABLE}, set()),
        (lambda me, switch: bool(me.table), {TABLE}, set()),
        (lambda me, switch: me.table.update({"s1": {}}), {TABLE}, {S1}),
        (lambda me, switch: me.table.get(True), {TABLE}, set()),
        (lambda me, switch: me.lists["a"].append(1), set(), {Key("lists", "a")}),
        (lambda me, switch: setattr(me, "count", 1), set(), {Attribute("count")}),
        (lambda me, switch: setattr(me, "table", {}), set(), {S1, S2}),
        (lambda me, switch: setattr(me, "new", 1), set(), {Attribute("new")}),
        (lambda me, switch: setattr(me, "table", 5), set(), {TABLE}),
    ],
)
def test_looks_and_changes_are_noted_key_by_key(do, reads, writes):
    assert touched(do) == (reads, writes)


def test_an_attribute_shares_a_part_with_its_keys_and_with_no_other():
    assert conflict(TABLE, S1)
    assert conflict(S1, TABLE)
    assert conflict(S1, S1)
    assert not conflict(S1, S2)
    assert not conflict(S1, Attribute("count"))
    assert not conflict(TABLE, "connections")
    assert [text_of(one) for one in (TABLE, S1)] == ["table", "table['s1']"]


def test_a_noting_table_is_a_plain_one_in_the_state():
    class Program:
        def __init__(self) -> None:
            self.table = {1: [2]}
            self.kept: list[Any] = []

        def barrier_reply(self, net: Any, switch: str, message: Any) -> None:
            self.kept.append(self.table)
            self.table = {}

    program = PythonProgram(Program)
    core = program.initial()
    for _ in range(2):
        core = program.handle(core, HELLO)[0].core
    assert "Noting" not in repr(core)


# Promises


class Keeps:
    """A learning switch that keeps to its switch, unless told otherwise."""

    per_switch = True

    def __init__(self, breaks: str = "") -> None:
        self.ports: dict[str, dict[int, int]] = {}
        self.breaks, self.seen = breaks, 0

    def switch_join(self, net: Any, switch: str, joined: Joined) -> None:
        self.ports[switch] = {}

    def packet_in(self, net: Any, switch: str, message: PacketIn) -> None:
        self.ports[switch][message.in_port] = 1
        if self.breaks == "looks":
            self.ports["s2"].get(1)
        if self.breaks == "counts":
            len(self.ports)
        if self.breaks == "changes":
            self.seen += 1
        net.flood("s2" if self.breaks == "sends" else switch, message)


def scenario(breaks: str) -> Scenario:
    network = Network(linear(2), (Client("h1", to=("h2",), sends=2), Replier("h2")))
    return Scenario(network, PythonProgram(Keeps, {"breaks": breaks}), (), Options(engine="loop", reduce=True))


@pytest.mark.parametrize(
    ("breaks", "what"),
    [
        ("looks", r"looks at ports\['s2'\]"),
        ("counts", "looks at ports"),
        ("changes", "changes seen"),
        ("sends", "sends to 's2'"),
    ],
)
def test_a_broken_promise_names_handler_and_part(breaks, what):
    expected = rf"Keeps promises to keep to one switch \(per_switch\), but for a message from 's1' packet_in {what};"
    with pytest.raises(ProgramError, match=expected):
        scenario(breaks).check()


def test_a_promise_reduces_more_than_what_is_noted_and_that_no_less_than_nothing_known():
    class Silent(Keeps):
        per_switch = False

    class Unknown(Silent):
        def packet_in(self, net: Any, switch: str, message: PacketIn) -> None:
            super().packet_in(net, switch, message)
            len(self.ports)
            self.seen = 1 - self.seen

    sizes = []
    for kind in (Keeps, Silent, Unknown):
        found = compare(Scenario(scenario("").network, PythonProgram(kind), ()))
        assert found is not None
        sizes.append(found)
    promised, noted, unknown = (one.factor for one in sizes)
    assert promised > noted >= unknown
