"""Conditions of matches compared with the model's functions, for random matches that often agree in their fields."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.crosscheck.agents.strict_match import (
    MergedMatch,
    covers_match,
    lacks_wildcards,
    matches_packet,
    merged,
    merged_port,
    overlaps_match,
    precedes_match,
    read_merged_match,
    same_match,
    write_merged_match,
)
from sdnloom.network.openflow.match import Match, canonical
from sdnloom.network.openflow.match10 import port_from_16, read_match10, write_match10
from sdnloom.network.packet import Arp, Ethernet, Icmp, IPv4, Tcp, Udp, Vlan, stack
from sdnloom.network.switch.core import match_order
from sdnloom.network.switch.tables.flow_mod import has_no_wildcards
from sdnloom.network.switch.tables.lookup import covers, matches, overlap, packet_fields
from sdnloom.symbolic import symbolic_int, var
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.values.sym_int import SymInt
from sdnloom.symbolic.values.truth import Truth

PACKETS = [
    packet_fields(packet, 1, zero_ports=True)
    for packet in (
        stack(Ethernet(2, 1), IPv4(0x0A000001, 0x0A000002), Tcp(1, 80)),
        stack(Ethernet(2, 1), Vlan(5, 3), IPv4(0x0A000001, 0x0A000102, dscp=1), Udp(1, 80)),
        stack(Ethernet(2, 1), IPv4(0x0A000001, 0x0A000002), Icmp(1)),
        stack(Ethernet(2, 1), Arp(1, 1, 0x0A000001, 0, 0x0A000002)),
        stack(Ethernet(2, 1, 0x88B5)),
    )
]

few = st.integers(0, 2)
address = st.sampled_from((0x0A000001, 0x0A000002, 0x0A000102, 0))
ignored = st.sampled_from((0, 1, 8, 31, 32, 63))


@st.composite
def wire_matches(draw: st.DrawFn) -> int:
    """Return 40 bytes whose slots have few different values."""
    single = draw(st.sampled_from((0, 0x3000FF))) ^ draw(st.sampled_from((0, *(1 << bit for bit in range(8)), 3 << 20)))
    wildcards = single & 0x3000FF | draw(ignored) << 8 | draw(ignored) << 14
    slots: tuple[tuple[int, st.SearchStrategy[int]], ...] = (
        (16, st.sampled_from((1, 2, 0xFFFE))),
        (48, few),
        (48, few),
        (16, st.sampled_from((0, 5, 0x1005, 0xFFFF))),
        (8, st.sampled_from((0, 3, 0xFF))),
        (8, few),
        (16, st.sampled_from((0x0800, 0x0806, 0x88B5))),
        (8, st.sampled_from((0, 4, 7))),
        (8, st.sampled_from((1, 6, 17, 3))),
        (16, few),
        (32, address),
        (32, address),
        (16, st.sampled_from((0, 1, 0x101))),
        (16, st.sampled_from((0, 80))),
    )
    number = wildcards
    for bits, values in slots:
        number = number << bits | draw(values)
    return number


def symbolic(name: str, number: int) -> MergedMatch:
    return read_merged_match(symbolic_int(number, var(name, 320)))


def agree(truth: Truth, model: dict[str, int], expected: bool) -> None:
    assert truth.value is expected
    assert bool(evaluate_term(truth.term, model)) is expected


@settings(max_examples=150)
@given(one=wire_matches(), other=wire_matches(), alike=st.booleans(), packet=st.sampled_from(PACKETS))
def test_conditions_of_1_0_are_those_of_the_model(one: int, other: int, alike: bool, packet: dict[str, int]) -> None:
    other = one ^ 1 << 64 if alike else other  # a bit of the addresses
    model = {"a": one, "b": other}
    first, second = symbolic("a", one), symbolic("b", other)
    mine, theirs = read_match10(one), read_match10(other)
    agree(matches_packet(first, packet), model, matches(mine, packet))
    agree(covers_match(first, second), model, covers(mine, theirs))
    agree(covers_match(second, first), model, covers(theirs, mine))
    agree(overlaps_match(first, second), model, overlap(mine, theirs))
    agree(same_match(first, second), model, mine == theirs)
    agree(precedes_match(first, second), model, match_order(mine) < match_order(theirs))
    agree(lacks_wildcards(first), model, has_no_wildcards(mine))
    agree(covers_match(Match(), first), model, True)
    written = write_merged_match(first)
    assert isinstance(written, SymInt)
    assert evaluate_term(written.term, model) == int.__int__(written) == write_match10(mine)


@pytest.mark.parametrize("number", [0, 1, 0xFEFF, 0xFF00, 0xFFFD, 0xFFFF])
def test_a_port_of_16_bits_is_widened_as_in_the_model(number: int) -> None:
    port = merged_port(symbolic_int(number, var("port", 16)))
    assert isinstance(port, SymInt)
    assert evaluate_term(port.term, {"port": number}) == int.__int__(port) == port_from_16(number)


rows13: Callable[[], Any] = lambda: st.fixed_dictionaries(  # noqa: E731
    {},
    optional={
        "in_port": st.tuples(few, st.none()),
        "eth_dst": st.tuples(few, st.sampled_from((None, 0, 1, 3, (1 << 48) - 1))),
        "eth_type": st.tuples(st.sampled_from((0x0800, 0x86DD)), st.none()),
        "ipv4_dst": st.tuples(address, st.sampled_from((None, 0, 0xFFFFFFFF, 0xFFFFFF00, 0x0F))),
    },
)


def match13(prefix: str, rows: dict[str, tuple[int, int | None]], model: dict[str, int]) -> tuple[Match, MergedMatch]:
    """Return the model's match, and one whose values and masks are symbolic."""
    plain, fields = [], []
    for name, (value, mask) in rows.items():
        value = value if mask is None else value & mask
        bits = {"in_port": 32, "eth_dst": 48, "eth_type": 16, "ipv4_dst": 32}[name]
        model |= {f"{prefix}.{name}": value, f"{prefix}.{name}.mask": mask or 0}
        plain.append((name, value, mask))
        shown = None if mask is None else symbolic_int(mask, var(f"{prefix}.{name}.mask", bits))
        fields.append((name, symbolic_int(value, var(f"{prefix}.{name}", bits)), shown))
    return canonical(plain), merged(Match(tuple(fields)))


@settings(max_examples=150)
@given(one=rows13(), other=rows13(), packet=st.sampled_from(PACKETS))
def test_conditions_of_1_3_are_those_of_the_model(one: Any, other: Any, packet: dict[str, int]) -> None:
    model: dict[str, int] = {}
    mine, first = match13("a", one, model)
    theirs, second = match13("b", other, model)
    agree(matches_packet(first, packet), model, matches(mine, packet))
    agree(covers_match(first, second), model, covers(mine, theirs))
    agree(overlaps_match(first, second), model, overlap(mine, theirs))
    agree(same_match(first, second), model, mine == theirs)
    agree(precedes_match(first, second), model, match_order(mine) < match_order(theirs))
    assert bool(first.fields) == bool(mine.fields)
