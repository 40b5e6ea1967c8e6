"""Conditions of classes as text: exact forms, and the same inputs when they are read back."""

import random
import re
from collections.abc import Callable, Mapping
from ipaddress import ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.inputs.condition_text import condition_text
from sdnloom.network.packet.headers import TcpFlag
from sdnloom.network.value import ip, mac
from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import const, eq, extract, ne, not_, ule, ult, var
from sdnloom.symbolic.terms.node import postorder

DST, SRC = var("eth.dst", 48, "mac"), var("eth.src", 48, "mac")
TYPE = var("eth.type", 16, "hex")
IP = var("ipv4.dst", 32, "ipv4")
IP6 = var("ipv6.dst", 128, "ipv6")
PORT = var("tcp.dst_port", 16, "dec")
FLAGS = var("tcp.flags", 8, "hex")
BYTES = var("port3.tx_bytes", 64, "dec")
NAMES = {"mac": {2: "h2"}, "ipv4": {ip("10.0.0.2"): "h2"}}


def number(value: int, term: terms.Term) -> terms.Term:
    return const(value, term.width)


def masked(term: terms.Term, mask: int, value: int) -> terms.Term:
    return eq(terms.bv_and(term, number(mask, term)), number(value, term))


def differ(term: terms.Term, *values: int) -> list[terms.Term]:
    return [ne(term, number(each, term)) for each in values]


@pytest.mark.parametrize(
    ("condition", "shown"),
    [
        ([], ""),
        ([eq(PORT, number(80, PORT))], "tcp.dst_port == 80"),
        (differ(PORT, 443), "tcp.dst_port != 443"),
        (differ(PORT, 443, 80), "tcp.dst_port other than 80, 443"),
        (differ(PORT, 0, 65535), "tcp.dst_port other than 0, 65535"),
        ([ult(PORT, number(1024, PORT))], "tcp.dst_port < 1024"),
        ([ule(PORT, number(1023, PORT))], "tcp.dst_port <= 1023"),
        ([ule(number(1024, PORT), PORT), ule(PORT, number(2047, PORT))], "1024 <= tcp.dst_port <= 2047"),
        ([eq(extract(PORT, 15, 10), const(1, 6))], "1024 <= tcp.dst_port <= 2047"),
        (
            [ule(number(1024, PORT), PORT), *differ(PORT, 1080)],
            "tcp.dst_port >= 1024 and tcp.dst_port != 1080",
        ),
        ([not_(terms.all_(*differ(PORT, 80, 443)))], "tcp.dst_port in 80, 443"),
        (
            [terms.any_(eq(PORT, number(80, PORT)), ule(number(8000, PORT), PORT)), *differ(PORT, 8001, 8003)],
            "tcp.dst_port in 80, 8000, 8002, 8004-65535",
        ),
        ([ult(number(1_000_000, BYTES), BYTES)], "port3.tx_bytes > 1000000"),
        ([eq(DST, number(2, DST))], "eth.dst == h2"),
        ([ule(number(8, PORT), PORT), ule(PORT, number(9, PORT))], "tcp.dst_port in 8, 9"),
        (differ(DST, 2, 3), "eth.dst other than h2, 00:00:00:00:00:03"),
        ([eq(extract(DST, 40, 40), const(1, 1))], "eth.dst is a group address"),
        ([ne(extract(DST, 40, 40), const(1, 1)), ne(SRC, DST)], "eth.dst is no group address and eth.src != eth.dst"),
        # Of two addresses one is a group address.
        (
            [
                terms.any_(eq(DST, number(2, DST)), eq(DST, number(mac("ff:ff:ff:ff:ff:ff"), DST))),
                eq(extract(DST, 40, 40), const(1, 1)),
            ],
            "eth.dst == ff:ff:ff:ff:ff:ff",
        ),
        ([eq(TYPE, number(0x806, TYPE))], "eth.type == 0x0806 (ARP)"),
        (differ(TYPE, 0x88CC, 0x800), "eth.type other than 0x0800 (IPv4), 0x88cc (LLDP)"),
        ([masked(IP, 0xFFFFFF00, ip("10.0.0.0"))], "ipv4.dst in 10.0.0.0/24"),
        ([not_(masked(IP, 0xFFFFFF00, ip("10.0.0.0")))], "ipv4.dst not in 10.0.0.0/24"),
        (
            [masked(IP, 0xFFFFFF00, ip("10.0.0.0")), *differ(IP, ip("10.0.0.2"))],
            "ipv4.dst in 10.0.0.0/24 and ipv4.dst != h2",
        ),
        (
            [
                not_(masked(IP, 0xFFFFFF00, ip("10.0.0.0"))),
                not_(masked(IP, 0xFFFF0000, ip("192.168.0.0"))),
            ],
            "ipv4.dst other than 10.0.0.0/24, 192.168.0.0/16",
        ),
        ([eq(extract(IP6, 127, 64), const(0x2001_0DB8 << 32, 64))], "ipv6.dst in 2001:db8::/64"),
        ([eq(extract(FLAGS, 1, 1), const(1, 1))], "tcp.flags has SYN"),
        ([masked(FLAGS, 0x12, 0x02)], "tcp.flags has SYN and lacks ACK"),
        ([masked(FLAGS, 0x12, 0x12)], "tcp.flags has SYN, ACK"),
        ([not_(masked(FLAGS, 0x12, 0x12))], "tcp.flags & 0x12 != 0x12"),
        ([eq(extract(IP, 7, 0), const(255, 8))], "ipv4.dst & 0.0.0.255 == 0.0.0.255"),
        (
            [not_(masked(IP, 0xFF0000FF, ip("10.0.0.1"))), eq(DST, number(2, DST)), *differ(IP, 7)],
            "ipv4.dst & 255.0.0.255 != 10.0.0.1 and ipv4.dst != 0.0.0.7 and eth.dst == h2",
        ),
        ([ne(extract(FLAGS, 1, 1), const(1, 1))], "tcp.flags lacks SYN"),
        (
            [terms.any_(eq(DST, number(2, DST)), terms.all_(ult(PORT, number(80, PORT)), ne(SRC, DST)))],
            "(eth.dst == h2 or (tcp.dst_port < 80 and eth.src != eth.dst))",
        ),
        # Conditions of one field stand where the first of them is.
        (
            [*differ(PORT, 80), eq(DST, number(2, DST)), *differ(PORT, 443)],
            "tcp.dst_port other than 80, 443 and eth.dst == h2",
        ),
        (
            [eq(terms.add(PORT, number(3, PORT)), terms.mul(PORT, PORT))],
            "tcp.dst_port * tcp.dst_port == tcp.dst_port + 3",
        ),
    ],
)
def test_conditions_are_written_in_the_units_of_their_fields(condition, shown):
    assert condition_text(condition, NAMES) == shown


def test_without_names_addresses_are_written():
    assert condition_text([eq(DST, number(2, DST)), masked(IP, 0xFFFFFFFF, ip("10.0.0.2"))]) == (
        "eth.dst == 00:00:00:00:00:02 and ipv4.dst == 10.0.0.2"
    )


def test_a_long_list_is_cut():
    text = condition_text(differ(PORT, *range(0, 200, 2)))
    assert text.startswith("tcp.dst_port other than 0, 2, 4, ")
    assert text.endswith(", 46, ...")


def test_the_text_does_not_depend_on_the_order_of_a_fields_conditions():
    one = differ(PORT, 80, 443, 8080)
    assert condition_text(one) == condition_text(one[::-1]) == "tcp.dst_port other than 80, 443, 8080"


# -- reading back ------------------------------------------------------------------------------------------------------

FIELDS = {each.args[0]: each for each in (DST, TYPE, IP, PORT, FLAGS)}
Inputs = Mapping[str, int]


def read_value(text: str) -> int:
    text = re.sub(r" \(.*\)", "", text)
    if text == "h2":
        return 2
    return ip(text) if "." in text else mac(text) if ":" in text else int(text, 0)


def read_item(text: str) -> range:
    if "/" in text:
        network = ip_network(text)
        return range(int(network[0]), int(network[-1]) + 1)
    first, _, last = text.partition("-")
    return range(read_value(first), read_value(last or first) + 1)


def read_part(text: str) -> Callable[[Inputs], bool]:
    if text == "false":
        return lambda values: False
    if match := re.fullmatch(r"(\S+) <= (\S+) <= (\S+)", text):
        low, high = read_value(match[1]), read_value(match[3])
        return lambda values: low <= values[match[2]] <= high
    if match := re.fullmatch(r"(\S+) (not in|in|other than) (.*)", text):
        items = [] if match[3] == "nothing" else [read_item(each) for each in match[3].split(", ")]
        wanted = match[2] == "in"
        return lambda values: any(values[match[1]] in each for each in items) is wanted
    if match := re.fullmatch(r"(\S+) is (a|no) group address", text):
        return lambda values: bool(values[match[1]] >> 40 & 1) is (match[2] == "a")
    if match := re.fullmatch(r"(?:(\S+) )?(has|lacks) ([A-Z, ]+)", text):  # "tcp.flags has SYN and lacks ACK"
        flags = [TcpFlag[each] for each in match[3].split(", ")]
        return lambda values: all(bool(values["tcp.flags"] & each) is (match[2] == "has") for each in flags)
    if match := re.fullmatch(r"(\S+) & (\S+) (==|!=) (\S+)", text):
        mask, wanted = read_value(match[2]), read_value(match[4])
        return lambda values: (values[match[1]] & mask == wanted) is (match[3] == "==")
    match = re.fullmatch(r"(\S+) (==|!=|<=|>=|<|>) (.*)", text)
    assert match, text
    value = read_value(match[3])
    compare = {"==": int.__eq__, "!=": int.__ne__, "<=": int.__le__, ">=": int.__ge__, "<": int.__lt__, ">": int.__gt__}
    return lambda values: compare[match[2]](values[match[1]], value)


def read_condition(text: str) -> Callable[[Inputs], bool]:
    parts = [read_part(each) for each in text.split(" and ")] if text else []
    return lambda values: all(part(values) for part in parts)


def literals(field: terms.Term) -> st.SearchStrategy[terms.Term]:
    """Literals about one field, with constants close to each other."""
    top = (1 << field.width) - 1
    around = st.sampled_from([0, 1, 2, 80, 0x800, 0x0A00_0000, 1 << 40, top - 1, top]).map(lambda value: value & top)
    value = st.tuples(around, st.integers(0, 6)).map(lambda pair: number(pair[0] + pair[1], field))
    high_bits = st.tuples(st.integers(1, field.width - 1), value).map(
        lambda pair: eq(extract(field, field.width - 1, pair[0]), extract(pair[1], field.width - 1, pair[0]))
    )
    compared = st.tuples(st.sampled_from([eq, ne, ult, ule, lambda a, b: ult(b, a)]), value).map(
        lambda pair: pair[0](field, pair[1])
    )
    bits_of = st.tuples(st.integers(1, top), value).map(lambda pair: masked(field, pair[0], pair[0] & pair[1].args[0]))
    one = st.one_of(compared, high_bits, high_bits.map(not_))
    either = st.tuples(one, one).map(lambda pair: terms.any_(*pair))
    bits = {DST: 40, FLAGS: 1}
    if field in (IP, FLAGS):
        one = st.one_of(one, bits_of, bits_of.map(not_))
    if field not in bits:
        return st.one_of(one, either)
    bit = eq(extract(field, bits[field], bits[field]), const(1, 1))
    return st.one_of(one, either, st.sampled_from([bit, not_(bit)]))


@settings(max_examples=30)
@given(
    st.lists(st.sampled_from([DST, TYPE, IP, PORT, FLAGS]).flatmap(literals), min_size=1, max_size=6),
    st.integers(0, 2**32),
)
def test_a_text_is_true_of_the_same_inputs_as_the_condition(condition, seed):
    reads, chance = read_condition(condition_text(condition, {"mac": {2: "h2"}})), random.Random(seed)
    constants = [each for each in postorder(*condition) if each.op == "const" and each.width] or [const(0, 1)]
    for _ in range(40):
        values = {}
        for name, field in FIELDS.items():
            close = chance.choice(constants)
            near = close.args[0] << max(field.width - close.width, 0) * chance.randrange(2)
            value = near + chance.randint(-1, 1) if chance.randrange(4) else chance.getrandbits(field.width)
            values[name] = value & ((1 << field.width) - 1)
        assert reads(values) == all(terms.evaluate_term(each, values) for each in condition), (values, condition)
