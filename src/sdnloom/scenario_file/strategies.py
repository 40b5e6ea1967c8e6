"""Strategies of the `[search]` table."""

from collections.abc import Callable

from sdnloom.errors import did_you_mean
from sdnloom.scenario_file.by_signature import read_call
from sdnloom.scenario_file.code_files import CodeFiles
from sdnloom.scenario_file.table import Table
from sdnloom.strategies import STRATEGY_NAMES, PktSeq, SameFlow, SearchStrategy, make_strategies, same_connection


def read_strategies(table: Table, code: CodeFiles) -> tuple[tuple[SearchStrategy, ...], SameFlow | None]:
    """The strategies that the table names, and the user's `same_flow` if it names one."""
    same_flow = read_same_flow(table, code) if "same_flow" in table else None
    pkt_seq: PktSeq = read_call(table.table("pkt_seq"), PktSeq, {}, {})
    names = table.texts("strategies", [])
    for number, name in enumerate(names):
        if name not in STRATEGY_NAMES:
            table.fail_item(
                "strategies", number, name, f"one of {', '.join(STRATEGY_NAMES)}{did_you_mean(name, STRATEGY_NAMES)}"
            )
    return table.calling("strategies", lambda: make_strategies(names, same_flow, pkt_seq)), same_flow


def read_same_flow(table: Table, code: CodeFiles) -> Callable[..., bool]:
    """The function that `same_flow` names: one of the user's, or the library's."""
    text = table.text("same_flow")
    if text == same_connection.__name__:
        return same_connection
    file, colon, name = text.rpartition(":")
    expected = 'a function of two packets, as "file.py:function", or "same_connection"'
    if not colon:
        table.fail("same_flow", text, expected)
    found = table.calling("same_flow", lambda: code.get(table.beside("same_flow", file), name))
    if not callable(found):
        table.fail("same_flow", text, expected)
    return found  # type: ignore[no-any-return]
