# ruff: noqa: E501 (tables: one program a line)
"""Regular expressions on symbolic text: the same answers as the engine's, and as few classes as the question needs."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdnloom.symbolic.execution import Execution
from sdnloom.symbolic.path_search import explore
from sdnloom.symbolic.rewrite.imports import RewrittenModules
from sdnloom.symbolic.self_check import check_purity
from sdnloom.symbolic.shims.addresses import SOCKET_IPV6
from sdnloom.symbolic.terms.constructors import var
from sdnloom.symbolic.values.make import IPV4, IPV6, MAC, NumberStyle, symbolic_text
from tests.symbolic.values.comparison import Address, Argument, Letter, Number, Octets, compare_with_original

ADDRESS = [
    "re.match(r'10\\.0\\.0\\.', a) is None",
    "bool(re.match('10.0.0.1', a))",
    "bool(re.fullmatch(r'10\\.0\\.0\\.\\d', a))",
    "bool(re.search(r'\\.1[0-4]?$', a))",
    "bool(re.compile('^10.*[3-5]$').match(a))",
    "bool(re.match(r'(\\d+\\.){3}([0-9]|1[0-2])$', a))",
    "re.match(r'(\\d+)\\.(\\d+)\\.(\\d+)\\.(\\d+)', a).group(4)",
    "re.match(r'(\\d+)\\.(\\d+)\\.(\\d+)\\.(\\d+)', a).groups()",
    "int(re.search(r'(\\d+)$', a).group(1)) % 3",
    "re.search('5', a).start() if re.search('5', a) else 'none'",
    "re.match(r'.*\\.(?P<last>1?)(?P<rest>.*)', a).groupdict()",
    "re.match(r'.*\\.(1(?=2)|.)', a)[1]",
    "bool(re.search(r'\\b5\\b', a)), bool(re.search(r'\\B5', a))",
    "re.split(r'\\.', a), re.findall(r'[1-4]', a)",
    "re.sub('1', 'x', a), re.subn('0', '', a, count=2)",
    "re.sub('[3-6]', lambda m: m.group() + '!', a)",
    "[m.span() for m in re.finditer('[2-4]', a)]",
    "bool(re.match(r'(?i)10\\.0\\.0\\.(7|8)$', a))",
    "bool(re.match('.*(?:3|4|15)', a)), bool(re.match('.*?1{2}', a))",
    "bool(re.match(r'(1)(0)\\.\\2\\.0\\.\\1', a))",
    "bool(re.match(r'10(?!\\.0\\.0\\.3)', a)), bool(re.search(r'(?<=\\.)1', a))",
    "re.compile('1').search(a, 7).start() if re.compile('1').search(a, 7) else -1",
    "isinstance(re.match('1', a), re.Match)",
]  # fmt: skip


@pytest.mark.parametrize("body", ADDRESS)
def test_patterns_on_the_text_of_an_address_are_followed(body: str) -> None:
    found = compare_with_original(f"import re\ndef f(a): return {body}", a=Address(IPV4, 32, 0x0A000000))
    assert found.concretised == ()
    assert found.complete, found.reasons


LETTER = [
    "bool(re.match('[b-d]', c)), bool(re.fullmatch('[^x]', c))",
    "re.match('([a-f])|(.)', c, re.S).groups()",
    "bool(re.search('^b', c, re.M)), bool(re.search('(?m)a$', 'a' + c))",
    "bool(re.match('A', c, re.I)), bool(re.match(r'\\w', c)), bool(re.match(r'\\s', c))",
    "re.match('a$', 'a' + c) is None",
    "bool(re.match(r'(.)\\1', 'k' + c))",
]  # fmt: skip


@pytest.mark.parametrize("body", LETTER)
def test_patterns_on_single_characters_are_followed(body: str) -> None:
    found = compare_with_original(f"import re\ndef f(c): return {body}", c=Letter())
    assert found.concretised == ()


def test_patterns_on_bytes_and_written_numbers_are_followed() -> None:
    found = compare_with_original(
        "import re\ndef f(b): return bool(re.match(rb'a[\\x10-\\x20]c', b))", b=Octets(b"a", b"c")
    )
    assert (found.concretised, len(found.classes)) == ((), 2)
    found = compare_with_original("import re\ndef f(n): return bool(re.fullmatch('1\\\\d|3', str(n)))", n=Number(255))
    assert (found.concretised, len(found.classes)) == ((), 2)
    found = compare_with_original(
        "import re\ndef f(n): return bool(re.fullmatch('.[0-9]+5', str(n + 900)))", n=Number(1000)
    )
    assert found.concretised == ()


TEXTS = [
    "a.startswith('10.0.0.1'), a.startswith(('10.0.0.2', '10.0.0.7', 'x')), a.startswith(())",
    "a.endswith('.1'), a.endswith(('3', '14')), a.endswith('')",
    "'0.1' in a, '.1' in a, '' in a, 'x' in a, '10.0.0.12' in a",
    "a[:8], a[-2:], a[:20], a[-1:], a[:0], a[-20:]",
    "a.find('.'), a.rfind('.'), a.find('x'), a.index('.'), a.find('1', 3), a.rfind('0.')",
    "a.partition('.'), a.rpartition('.'), a.partition('/'), a.rpartition('x')",
    "a.split('.', 1), a.rsplit('.', 1), a.rsplit('.'), a.split('.', 2)[2], a.rsplit('.', 0), (a + ' b').rsplit(' ', 1)",
    "a.count('.'), a.count('1'), a.upper(), a.isdigit(), a.isalnum(), a.split('.')[3].isdigit()",
    "fnmatch.fnmatch(a, '10.0.*.1?'), fnmatch.fnmatchcase(a, '*[2-4]')",
    "repr('it\\'s ' + a), repr(a)",
]  # fmt: skip


@pytest.mark.parametrize("body", TEXTS)
def test_methods_of_the_text_of_an_address_are_followed(body: str) -> None:
    found = compare_with_original(f"import fnmatch\ndef f(a): return {body}", a=Address(IPV4, 32, 0x0A000000, 127))
    assert found.concretised == () or "it" in body
    assert found.complete or "it" in body, found.reasons


IPV6_TEXTS = [
    "':' in a",
    "'.' in a",
    "a.startswith('fe80')",
    "a.startswith(('ff02:', 'fe8'))",
    "bool(re.match('^f[ef]', a))",
]


@pytest.mark.parametrize("body", IPV6_TEXTS)
def test_the_start_of_an_ipv6_address_is_followed(body: str) -> None:
    module = RewrittenModules(lambda name: False).run(f"import re\ndef f(a): return {body}", "x.py")
    term = var("x", 128, "ipv6")

    def run(execution: Execution) -> bool:
        return module.f(symbolic_text(IPV6.render(execution.value("x")), term, IPV6))

    found = explore(run, [term])
    assert (found.complete, len(found.classes)) == (True, 1 if body.startswith("'") else 2)
    assert check_purity(found, run, 40, same=lambda path, model, output: output == path.output)
    for each in found.classes:
        assert each.output == eval(body, {"re": re, "a": IPV6.render(each.witness["x"])})


@given(st.integers(0, 2**128 - 1), st.sampled_from([0, 16, 64, 80, 96, 97, 112]))
def test_dots_in_an_ipv6_address_are_where_the_library_writes_them(number: int, shift: int) -> None:
    for value in (number >> shift, 0xFFFF << 32 | number >> 96):
        with Execution({"x": value}).active():
            found = "." in symbolic_text(SOCKET_IPV6.render(value), var("x", 128), SOCKET_IPV6)
        assert found == ("." in SOCKET_IPV6.render(value))


CLASSES: list[tuple[str, NumberStyle, int, int]] = [
    (r"re.match(r'10\.0\.1\.', a)", IPV4, 32, 2),
    (r"re.match(r'(10|192\.168)\.', a)", IPV4, 32, 2),
    (r"re.fullmatch(r'10\.\d+\.1\d?\.[1-9]\d*', a)", IPV4, 32, 2),
    (r"re.compile('^33:33').match(a)", MAC, 48, 2),
    (r"re.match('01:80:c2|01:00:5e', a)", MAC, 48, 2),
    (r"re.match('([0-9a-f]{2}:){5}[0-9a-f]{2}$', a)", MAC, 48, 1),
]


@pytest.mark.parametrize(("body", "style", "width", "classes"), CLASSES)
def test_a_match_that_is_only_tested_divides_all_addresses_into_two_classes(
    body: str, style: NumberStyle, width: int, classes: int
) -> None:
    module = RewrittenModules(lambda name: False).run(f"import re\ndef f(a): return bool({body})", "x.py")
    term = var("x", width)

    def run(execution: Execution) -> bool:
        return module.f(symbolic_text(style.render(execution.value("x")), term, style))

    found = explore(run, [term])
    assert (found.complete, len(found.classes)) == (True, classes)
    for each in found.classes:
        assert each.output == bool(eval(body, {"re": re, "a": style.render(each.witness["x"])}))


def test_what_is_not_followed_is_reported() -> None:
    module = RewrittenModules(lambda name: False).run("import re\ndef f(a): return re.sub('x*', '-', a)", "x.py")
    execution = Execution({"x": 5})
    with execution.active():
        assert module.f(symbolic_text("0.0.0.5", var("x", 32), IPV4)) == "-0-.-0-.-0-.-5-"
    assert [str(site) for site in execution.concretisations] == ["x.py:2 (re.sub of 'x*')"]


ATOMS = st.sampled_from(["1", "0", "a", "b", ".", r"\.", r"\d", r"\D", "[0-4]", "[^5b]", r"\b", "^", "$", r"\w"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "*?", "+?"])).map(lambda pair: f"({pair[0]}){pair[1]}"),
    ),
    max_leaves=5,
)  # fmt: skip


RESULTS = ["bool(m)", "m and m.span()", "m and m.groups()"]
ARGUMENTS: list[Argument] = [Address(MAC, 8, 0, 31), Number(31, 90), Letter("1", "0", 63)]


@settings(max_examples=30)
@given(
    PATTERNS, st.sampled_from(["match", "fullmatch", "search"]), st.sampled_from(RESULTS), st.sampled_from(ARGUMENTS)
)
def test_random_patterns_answer_as_the_engine_does(pattern: str, mode: str, result: str, argument: Argument) -> None:
    text = "str(a)" if isinstance(argument, Number) else "a"
    source = f"import re\ndef f(a):\n  m = re.{mode}({pattern!r}, {text})\n  return {result}"
    compare_with_original(source, a=argument)
