"""Strategies from the [search] table of a scenario."""

from collections.abc import Callable

from sdnloom.scenario_file.by_signature import read_call
from sdnloom.scenario_file.code_files import CodeFiles
from sdnloom.scenario_file.table import Table
from sdnloom.strategies import STRATEGY_NAMES, PktSeq, SameFlow, SearchStrategy, make_strategies, same_connection


def read_strategies(reader: Table, code: CodeFiles) -> tuple[tuple[SearchStrategy, ...], SameFlow | None]:
    """The strategies that the table names, and the user's `same_flow` if it names one."""
    same_flow = read_same_flow(reader, code) if "same_flow" in reader else None
    pkt_seq: PktSeq = read_call(reader.table("pkt_seq"), PktSeq, {}, {})
    names = reader.texts("strategies", [])
    for number, name in enumerate(names):
        if name not in STRATEGY_NAMES:
            reader.fail_item("strategies", number, name, f"one of {', '.join(STRATEGY_NAMES)}")
    return reader.calling("strategies", lambda: make_strategies(names, same_flow, pkt_seq)), same_flow


def read_same_flow(reader: Table, code: CodeFiles) -> Callable[..., bool]:
    """The function that `same_flow` names: one of the user's, or the library's."""
    text = reader.text("same_flow")
    if text == same_connection.__name__:
        return same_connection
    file, colon, name = text.rpartition(":")
    expected = 'a function of two packets, as "file.py:function", or "same_connection"'
    if not colon:
        reader.fail("same_flow", text, expected)
    found = reader.calling("same_flow", lambda: code.get(reader.beside("same_flow", file), name))
    if not callable(found):
        reader.fail("same_flow", text, expected)
    return found  # type: ignore[no-any-return]
