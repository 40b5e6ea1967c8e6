# ruff: noqa: E501 (tables: one program a line)
"""Random programs: the rewritten one explored, the original run on every input, and both must agree value by value."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.symbolic.values.make import IPV4, MAC
from tests.symbolic.values.comparison import Address, Argument, Letter, Number, Octets, compare_with_original

NUMBERS = st.integers(-3, 9).map(str)


def numbers(depth: int) -> st.SearchStrategy[str]:
    """Expressions of int over x and y."""
    leaf = st.sampled_from(["x", "y", "(x - 3)", "(y - 6)"]) | NUMBERS.map(lambda text: f"({text})")
    if not depth:
        return leaf
    inner = numbers(depth - 1)
    binary = st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "//", "%", "&", "|", "^"]), inner)
    shifts = st.builds("({} {} ({} & 3))".format, inner, st.sampled_from(["<<", ">>"]), inner)
    unary = st.builds("({}{})".format, st.sampled_from(["-", "~", "+"]), inner)
    calls = st.builds("{}({})".format, st.sampled_from(["abs", "int", "round", "bool"]), inner)
    picks = st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), inner, inner)
    choice = st.builds("({} if {} else {})".format, inner, truths(depth - 1), inner)
    lookup = st.builds("{}.get({}, {})".format, st.sampled_from(["{1: 4, 6: 2}", "{y: 1, 3: 9}"]), inner, inner)
    item = st.builds("[5, 6, 7, 8][{}]".format, inner)
    return leaf | binary | shifts | unary | calls | picks | choice | lookup | item


def truths(depth: int) -> st.SearchStrategy[str]:
    """Expressions of bool over x and y."""
    inner = numbers(max(depth - 1, 0))
    compare = st.builds("({} {} {})".format, inner, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), inner)
    chain = st.builds("({} < {} <= {})".format, inner, inner, inner)
    member = st.builds(
        "({} {} {})".format,
        inner,
        st.sampled_from(["in", "not in"]),
        st.sampled_from(["(1, 4)", "{2, x}", "range(2, 9, 3)", "[x, y]", "{1: 0}"]),
    )
    both = st.builds("({} {} {})".format, compare, st.sampled_from(["and", "or"]), member)
    return compare | chain | member | both


@pytest.mark.slow
@settings(max_examples=45)
@given(numbers(2) | numbers(3), truths(2))
def test_numbers_agree_with_brute_force(number: str, truth: str) -> None:
    found = compare_with_original(
        f"def f(x, y):\n if {truth}: return {number}, 1\n return 2, {number}", x=Number(7), y=Number(7)
    )
    assert found.complete or found.concretised or found.statistics.unknown, found.reasons


STATEMENTS = st.sampled_from(
    [
        "d[x] = y", "d[y] = x", "d.setdefault(x, 7)", "d.pop(y, None)", "t.add(x)", "t.discard(y)", "x += 1",
        "y = y % 3", "t |= {x}", "d[1] = d.get(x, 0)", "n += d.get(y, 2)", "n += len(d)", "n += len(t) * 2",
        "del d[x]", "d.update({y: 1})", "n += x in t", "n += 3 in d", "n ^= y", "l.append(x)", "n += l[y]",
        "n += l.count(x)", "l[x] = y", "t = {y, 2}", "t -= {x}", "n += t <= {1, 2, 3}", "n += (x, y) in {(1, 2), (3, 3)}",
        "n += sum(l)", "l.sort()", "n += max(l)", "l = sorted(l + [y])", "d = {k: v for k, v in d.items() if k != x}",
        "n += d == {1: 5, 4: 6}", "s += str(x)", "n += s == '12'", "s = f'{y}{s}'", "n += len(s)", "n += s.find('3')",
    ]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=42)
@given(st.lists(STATEMENTS, min_size=2, max_size=5))
def test_containers_agree_with_brute_force(statements: list[str]) -> None:
    body = "".join(f" {each}\n" for each in statements)
    source = (
        f"def f(x, y):\n d = {{1: 5, 4: 6}}; t = {{1, 3}}; l = [3, 1]; s = ''; n = 0\n{body} return n, len(d), l, s"
    )
    found = compare_with_original(source, x=Number(4), y=Number(4))
    assert found.concretised == ()
    assert found.complete, found.reasons


TEXT_METHODS = st.sampled_from(
    [
        "s == {0!r}", "s < {0!r}", "{0!r} in s", "s in {0!r}", "s.find({0!r})", "s.rfind({0!r})", "s.count({0!r})",
        "s.split({0!r} or None)", "s.split()", "s.startswith({0!r})", "s.endswith(({0!r}, 'q'))", "s.replace({0!r} or 'a', '-')",
        "s.strip({0!r})", "s.lstrip()", "s.partition({0!r} or 'a')", "s.rpartition({0!r} or 'a')", "s.removeprefix({0!r})",
        "s.upper()", "s.lower()", "s.isdigit()", "s.isalpha()", "s.isspace()", "s.isalnum()", "s.isascii()", "s[1:]", "s[::-1]",
        "s[-1]", "s + {0!r}", "{0!r} + s", "s * 2", "len(s)", "list(s)", "{0!r}.join([s, s])", "s.ljust(5, '.')", "s.zfill(4)",
        "[ord(c) for c in s]", "s.encode()", "'%s%5s' % (s, {0!r})", "f'{{s:>4}}|{{s}}'", "'{{}}'.format(s)", "{0!r}.find(s)",
        "{0!r}.split(s)", "{0!r}.startswith(s)", "s.index({0!r})", "{{'a': 1, 'ab': 2}}.get(s)", "s != s[:1]", "int(s)", "int(s, 16)",
    ]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=40)
@given(
    TEXT_METHODS,
    st.text("ab1 -", max_size=2),
    st.sampled_from([Letter(), Letter("a"), Letter("", "b"), Letter(" 1", " ")]),
)
def test_text_agrees_with_brute_force(method: str, part: str, argument: Argument) -> None:
    found = compare_with_original(f"def f(s): return {method.format(part)}", s=argument)
    assert found.concretised == () or "int" in method, found.concretised


BYTES_METHODS = st.sampled_from(
    [
        "b == {0!r}", "b < {0!r}", "{0!r} in b", "97 in b", "b.find({0!r})", "b.count({0!r})", "b.split({0!r} or b'a')", "b.startswith({0!r})",
        "b.replace({0!r} or b'a', b'-')", "b.strip({0!r})", "b.rstrip()", "b.partition({0!r} or b'a')", "b.upper()", "b[1:]", "b[::-1]", "b[-1]",
        "b + {0!r}", "{0!r} + b", "b * 2", "list(b)", "{0!r}.join([b, b])", "b.hex()", "b.decode('latin-1')", "int.from_bytes(b, 'big')",
        "bytearray(b) + {0!r}", "bytes(bytearray(b))", "{0!r}.find(b)", "b.index({0!r})", "int.from_bytes(b, 'little', signed=True)",
        "b'%s-%s' % (b, {0!r})", "sum(b) & 255 == 97", "max(b)", "[c for c in b if c > 97]", "bytearray(b).pop()", "b.ljust(4, b'.')",
    ]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=42)
@given(
    BYTES_METHODS,
    st.binary(max_size=2).map(lambda raw: bytes(97 + byte % 3 for byte in raw)),
    st.sampled_from([Octets(), Octets(b"a"), Octets(b"", b"b")]),
)
def test_bytes_agree_with_brute_force(method: str, part: bytes, argument: Argument) -> None:
    assert compare_with_original(f"def f(b): return {method.format(part)}", b=argument).concretised == ()


ADDRESS_METHODS = st.sampled_from(
    [
        "a == {0!r}", "{0!r} == a", "a != {0!r}", "a in ({0!r}, '')", "{{{0!r}: 1}}.get(a, 2)", "a.startswith({0!r}[:4])", "a.endswith({0!r}[-3:])",
        "a.split('.')", "a.split(':')", "a.replace(':', '')", "a.replace('.', '-')", "a[3:9]", "a[-2:]", "len(a)", "a.upper()", "a.lower() == {0!r}",
        "a.find('.', 2)", "':' in a", "'/' in a", "a + '/24' == {0!r} + '/24'", "f'<{{a}}>' == '<' + {0!r} + '>'", "'%s' % a == {0!r}",
        "[int(p, 16) for p in a.split(':')[:2]] if ':' in a else 0", "[int(p) for p in a.split('.')] if '.' in a else 0", "a < {0!r}", "a.strip() is a",
        "a.count('0')", "sorted([a, {0!r}])", "'-'.join(a.split('.')[::-1])", "a.rsplit('.', 1)[-1:]" , "hash(a) == hash({0!r})",
    ]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=45)
@given(
    ADDRESS_METHODS,
    st.sampled_from(
        [Address(MAC, 48, 0xAABB00000000), Address(IPV4, 32, 0x0A000000, 127), Address(IPV4, 32, 0x0A0000F0)]
    ),
    st.integers(0, 15),
)
def test_addresses_agree_with_brute_force(method: str, argument: Address, value: int) -> None:
    found = compare_with_original(f"def f(a): return {method.format(argument.plain(value))}", a=argument)
    assert found.concretised == () or "rsplit" in method or "hash" in method


@pytest.mark.parametrize(
    "spec",
    ["", "d", "x", "02x", "#x", "#06x", "08b", "o", "4d", ">4", "05d", "X", "-3d", "<4", "^4", ",", "+d", "e", "c"],
)
def test_formats_of_numbers_agree_with_brute_force(spec: str) -> None:
    source = f"def f(x): return f'{{x:{spec}}}', format(x, {spec!r}), f'{{x:{spec}}}' == f'{{13:{spec}}}', len(format(x, {spec!r}))"
    compare_with_original(source, x=Number(15))
    compare_with_original(source, x=Number(15, add=-7))


@pytest.mark.parametrize(
    "form",
    [
        "%d",
        "%s",
        "%r",
        "%i",
        "%x",
        "%02X",
        "%#x",
        "%5d|",
        "%-5d|",
        "%+d",
        "%05d",
        "%.3x",
        "%c",
        "%%%d",
        "%5s",
        "%-4s|",
        "%.2f",
    ],
)
def test_percent_formats_agree_with_brute_force(form: str) -> None:
    source = f"def f(x): return {form!r} % x, {form!r} % (x,) == {form!r} % 13, len({form!r} % (x,))"
    compare_with_original(source, x=Number(15))
    compare_with_original(source, x=Number(15, add=-7))
