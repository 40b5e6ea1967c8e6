"""Cells that handlers read and write in the dicts of their program."""

from collections import defaultdict
from enum import IntEnum
from typing import Any

import pytest

from sdnloom.network.openflow import BarrierReply
from sdnloom.network.program import MessageIn
from sdnloom.network.program_cells import Attribute, Connected, Key, Order, conflict, text_of
from sdnloom.platforms.python.program import PythonProgram

HELLO = MessageIn("s1", BarrierReply())


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


class Small(IntEnum):
    ONE = 1


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
        (lambda me, switch: me.table.get(Small.ONE), {TABLE}, set()),
        (lambda me, switch: me.table.get((1, True)), {TABLE}, set()),
        (lambda me, switch: me.table.get((1, "x")), {Key("table", (1, "x"))}, set()),
        (lambda me, switch: me.table.update({Small.ONE: 1}), set(), {TABLE}),
        (lambda me, switch: me.table.__setitem__((1, 2.0), 1), set(), {TABLE}),
        (lambda me, switch: me.table.__setitem__((1, 2), 1), set(), {Key("table", (1, 2))}),
        (lambda me, switch: me.lists == me.table, {TABLE, Attribute("lists")}, set()),
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
    assert len({TABLE, Order("table"), Connected("table"), ("table",)}) == 4
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
    assert "Recording" not in repr(core)
