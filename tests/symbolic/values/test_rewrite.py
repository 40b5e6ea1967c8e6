"""Rewritten code with plain values does what the original does: same results, same lines, same tracebacks."""

import ast
import importlib
import ipaddress
import sys
import textwrap
import traceback
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdnloom.symbolic.rewrite.imports import RewriteImportError, RewrittenModules, visible_traceback
from sdnloom.symbolic.rewrite.module import RewriteError, rewrite, rewrite_tree

PROGRAM = textwrap.dedent(
    '''
    """A module with a docstring."""
    import collections
    import contextlib
    from dataclasses import dataclass, field
    from functools import lru_cache

    TABLE = {1: "one", (2, 3): "pair"}

    @dataclass(frozen=True)
    class Point:
        x: int
        y: int = 0
        tags: tuple = field(default=())

        def __hash__(self):
            return hash((self.x, self.y))

        def __add__(self, other):
            return Point(
                self.x + other.x,
                self.y
                + other.y,
            )

    @lru_cache(maxsize=None)
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    @contextlib.contextmanager
    def opened(log):
        log.append("open")
        yield log
        log.append("close")

    class Meta(type):
        def __getitem__(cls, item):
            return item

    class Sub(dict, metaclass=Meta):
        __secret = 5

        def __missing__(self, key):
            self[key] = value = [key, self.__secret]
            return value

    def generator(n):
        got = 0
        for i in range(n):
            got = yield i + (got or 0)

    def f(n, words):
        out = []
        counts = collections.defaultdict(int)
        for i, w in enumerate(words):
            counts[w[0]] += len(w) * i
            counts[w[-1]] -= 1
        out.append(sorted(counts.items()))
        grid = [[0] * 3 for _ in range(3)]
        grid[n % 3][1], (grid[0][2], *rest) = n, (7, 8, 9)
        grid[1][1:2] = [n, n]
        del grid[2][0], grid[0][-1:]
        out.append(grid)
        out.append({w: i for i, w in enumerate(words) if w not in ("x", "y")})
        out.append({len(w) for w in words} | {n} - {3} & {4})
        a = b = {**TABLE, n: "n"}
        a |= {5: 6}
        out.append(sorted(map(str, b)))
        text = f"{n:>4}|{n!r:<5}|{words[0]!s}|{'q' if n else 'z'}|{n / 4:.{n % 3}f}"
        text += "%s-%05d-%(a)s" % {"a": 1} if False else "%s-%05d" % (words, n)
        out.append(text + "{0}{1[0]}{k:x}".format(n, words, k=n))
        s = Sub()
        out.append((s[n], s.get(n), Sub[1, 2], "a" in s, n not in s))
        with opened(out) as grid[0][0]:
            grid[0][0] = 1
        g = generator(3)
        out += [next(g), g.send(2), *g]
        p = Point(n) + Point(1, 2)
        out.append((p, p == Point(n + 1, 2), p in {Point(n + 1, 2)}, fib(n % 20), fib.cache_clear()))
        match p:
            case Point(x=1, y=y):
                out.append(("one", y))
            case Point(x=x) if x > 3 and x is not None:
                out.append(x)
            case _:
                out.append("other")
        match {"a": n, "b": words}:
            case {"a": 0}:
                out.append(0)
            case {"b": [first, *_], **others}:
                out.append((first, others))
        out.append([*words, *(w.upper() for w in words if 0 <= len(w) < n <= 9 or w in "abc")])
        out.append(n if 1 < len(words) + n < len(words) * 2 else -n)
        i = 10
        while i := i - 3:
            if i < 0 or i == n:
                break
        else:
            out.append("never")
        try:
            out.append({1: 2}[n])
        except KeyError as error:
            out.append(error.args)
        finally:
            out.append(i)
        b = bytearray(b"abc")
        b[1] = n % 256
        b += bytes([n % 256])
        out.append(bytes(b))
        out.append((lambda *a, k=2, **kw: (a, k, kw))(*words, k=n, **{"z": 1}))
        out.append([type(v) for v in (n, "", b"", b, None)])
        out.append(isinstance(n, int) and issubclass(Sub, dict))
        x: list[int] = [3, 1, 2]
        x[0]: int = n
        x.sort(key=lambda v: -v)
        out.append((x, min(x), max(x, default=0), sum(x), any(v == n for v in x), all(x)))
        return out
    '''
)


def as_it_is(source: str) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "under_test"}
    exec(compile(source, "under_test.py", "exec"), space)
    return space


@given(
    n=st.integers(0, 300), words=st.lists(st.sampled_from(["a", "xy", "abc", "x", "y", "qqqq"]), min_size=1, max_size=4)
)
def test_rewriting_keeps_what_a_program_does(n: int, words: list[str]) -> None:
    # repr: the two programs have classes of their own
    assert repr(CHANGED["f"](n, words)) == repr(PLAIN["f"](n, words))


PLAIN = as_it_is(PROGRAM)
CHANGED = vars(RewrittenModules(lambda name: False).run(PROGRAM, "under_test.py"))


def lines(function: Any, *args: Any) -> list[tuple[str, int]]:
    """Return the lines of the program that a call runs through."""
    met: list[tuple[str, int]] = []

    def trace(frame: Any, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename != "under_test.py":
            return None
        if event == "line":
            met.append((frame.f_code.co_name, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*args)
    finally:
        sys.settrace(before)
    return met


@pytest.mark.parametrize("n", [0, 1, 4, 8])
def test_rewriting_keeps_every_line(n: int) -> None:
    comprehension = {"<setcomp>": "<listcomp>", "<dictcomp>": "<listcomp>", "<genexpr>": "<listcomp>"}

    def named(met: list[tuple[str, int]]) -> list[tuple[str, int]]:
        return [(comprehension.get(name, name), line) for name, line in met if name != "fib"]  # which has no cache now

    words = ["a", "xy", "abc"]
    PLAIN["fib"].cache_clear()
    assert named(lines(CHANGED["f"], n, words)) == named(lines(PLAIN["f"], n, words))


FAULTS = {
    "key": "def f(x):\n    d = {}\n    return (\n        d[x]\n    )",
    "index": "def f(x):\n    a = [1]\n    a[\n        x] = 2",
    "operator": "def f(x):\n    return [\n        1,\n        x + 'a']",
    "call": "def g(y):\n    raise ValueError(\n        y)\ndef f(x):\n    return [g(v)\n        for v in [x]]",
    "method": "def f(x):\n    return {}.pop(\n        x)",
    "format": "def f(x):\n    return '%d' % (\n        'a',)",
    "nested": "class C:\n    def __getitem__(self, k):\n        return k[0]\ndef f(x):\n    return C()[x]",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_tracebacks_name_the_same_lines(fault: str) -> None:
    def failure(function: Any) -> tuple[str, str, list[tuple[str, int | None]]]:
        with pytest.raises((LookupError, TypeError, ValueError)) as info:
            function(3)
        found = traceback.extract_tb(visible_traceback(info.value).__traceback__)
        return (
            type(info.value).__name__,
            str(info.value),
            [(each.name, each.lineno) for each in found if each.filename == "under_test.py"],
        )

    changed = RewrittenModules(lambda name: False).run(FAULTS[fault], "under_test.py")
    assert failure(changed.f) == failure(as_it_is(FAULTS[fault])["f"])


def test_visible_traceback_has_no_frame_of_sdnloom() -> None:
    changed = RewrittenModules(lambda name: False).run(FAULTS["key"], "under_test.py")
    with pytest.raises(KeyError) as info:
        changed.f(3)
    names = [each.filename for each in traceback.extract_tb(visible_traceback(info.value).__traceback__)]
    assert names[-1] == "under_test.py"
    assert not any("sdnloom/symbolic" in name for name in names)


def test_module_level_code_is_left_as_it_is() -> None:
    source = "A = {1: 2}[1]\nB = [x in (1, 2) for x in range(3)]\nclass C:\n    D = A + len(B)\n"
    body = rewrite_tree(ast.parse(source)).body
    assert ast.unparse(body[1:]) == ast.unparse(ast.parse(source).body)


def test_docstring_and_future_imports_stay_first() -> None:
    changed = RewrittenModules(lambda name: False).run(
        '"""Says so."""\nfrom __future__ import annotations\ndef f(x: Any): return x', "a.py"
    )
    assert changed.__doc__ == "Says so."
    assert changed.f.__annotations__ == {"x": "Any"}


NEW_SYNTAX = """
def run():
    def same(x):
        return x
    def first[T: (1 < same(1) < 3)](x: T, y=1 < same(2) < 3) -> T:
        return x[0] if 0 < same(x[0]) < 5 else y
    class Pair[T](dict if 1 < same(2) < 3 else list, metaclass=type if 1 < same(2) < 3 else 0):
        def get[S](self, key: S):
            return [same(each) for each in self[key] if 0 < same(each) < 3], __class__.__name__
    type Kind[T] = {1: int}[same(1)] if 0 < same(1) < 2 else T
    names = {"b": 3}
    text = f"{names['b']!r:>{'5'}} {f"{names['b']:{'0'}5}"} {names=} {'\\n'.join([str(1)])}"
    return first([1]), first([7]), Pair(a=[1, 2, 3]).get("a"), Kind.__value__, text
"""


if sys.version_info >= (3, 12):  # the syntax is new there

    @pytest.mark.parametrize("watched", [False, True])
    def test_generics_type_aliases_and_nested_quotes_behave_the_same(watched: bool) -> None:
        original: dict[str, Any] = {"__name__": "new_syntax"}
        rewritten = dict(original)
        exec(compile(NEW_SYNTAX, "new_syntax.py", "exec"), original)
        exec(rewrite(NEW_SYNTAX, "new_syntax.py", watched), rewritten)
        expected = (1, True, ([1, 2], "Pair"), int, "    3 00003 names={'b': 3} 1")
        assert rewritten["run"]() == original["run"]() == expected


def test_helper_names_are_not_mangled_in_classes() -> None:
    tree = rewrite_tree(ast.parse("class C:\n    def f(self, d, k):\n        d[k] += g(d[k])\n        return d[k]"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not any(name.startswith("__") for name in names)


def test_deep_nesting_is_an_error_that_names_the_file() -> None:
    deep = "def f(x):\n    return " + "[" * 90 + "x" + "]" * 90 + "\n"
    rewrite(deep, "deep.py")
    with pytest.raises(RewriteError, match=r"deep\.py: the code is nested too deeply"):
        rewrite("def f(x):\n    return " + "-" * 50_000 + "x", "deep.py")


def test_syntax_error_names_the_file() -> None:
    with pytest.raises(SyntaxError) as info:
        rewrite("def f(:", "broken.py")
    assert info.value.filename == "broken.py"


# Real modules, rewritten, beside their originals.


def test_originals_stay_as_they_are() -> None:
    before = dict(sys.modules)
    world = RewrittenModules(lambda name: name in ("ipaddress", "json.decoder"))
    assert world.load("ipaddress") is not ipaddress
    assert world.load("json.decoder").JSONDecoder is not importlib.import_module("json.decoder").JSONDecoder
    assert sys.modules["ipaddress"] is ipaddress
    assert {name for name, module in before.items() if sys.modules.get(name) is not module} == set()


def test_rewritten_modules_import_each_other() -> None:
    world = RewrittenModules(lambda name: name.startswith("os_ken.lib.packet"))
    ethernet = world.load("os_ken.lib.packet.ethernet")
    assert ethernet.packet_base is world.modules["os_ken.lib.packet.packet_base"]
    assert ethernet.packet_base is not importlib.import_module("os_ken.lib.packet.packet_base")


def test_module_without_source_is_an_error() -> None:
    with pytest.raises(RewriteImportError, match="module 'math': expected Python source"):
        RewrittenModules(lambda name: name == "math").load("math")


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
_JSON = RewrittenModules(lambda name: name in ("json.decoder", "json.scanner", "json.encoder"))


@given(documents)
def test_json_rewritten_reads_and_writes_the_same(document: Any) -> None:
    decoder, encoder = _JSON.load("json.decoder"), _JSON.load("json.encoder")
    vars(decoder)["scanstring"] = decoder.py_scanstring
    plain = importlib.import_module("json")
    text = "".join(encoder.JSONEncoder().iterencode(document))
    assert text == plain.dumps(document)
    reader = decoder.JSONDecoder()
    reader.scan_once = _JSON.load("json.scanner").py_make_scanner(reader)
    assert reader.decode(text) == plain.loads(text)


_IPADDRESS = RewrittenModules(lambda name: name == "ipaddress")


@given(st.integers(0, 2**32 - 1), st.integers(0, 32), st.integers(0, 2**128 - 1))
def test_ipaddress_rewritten_is_the_same(address: int, prefix: int, long: int) -> None:
    results = []
    for module in (ipaddress, _IPADDRESS.load("ipaddress")):
        one = module.ip_address(address)
        net = module.ip_network((address, prefix), strict=False)
        six = module.IPv6Address(long)
        results.append(
            [
                *(
                    str(each)
                    for each in (one, net, six, net.broadcast_address, net.netmask, module.ip_interface(str(net)))
                ),
                *(
                    six.exploded,
                    six.compressed,
                    six.packed,
                    one in net,
                    one.is_private,
                    six.is_link_local,
                    one < net[0],
                ),
                *(net.num_addresses, module.ip_address(str(one)) == one, hash(module.ip_address(str(six)))),
                [str(each) for each in list(net.subnets())[:2]],
            ]
        )
    assert results[0] == results[1]


def frames() -> st.SearchStrategy[bytes]:
    header = st.binary(min_size=12, max_size=12)
    types = st.sampled_from([b"\x08\x00", b"\x08\x06", b"\x86\xdd", b"\x81\x00", b"\x88\xcc", b"\x05\xdc"])
    starts = st.sampled_from(
        [
            b"",
            b"\x45\x00\x00\x54\x00\x00\x00\x00\x40",
            b"\x00\x01\x08\x00\x06\x04\x00\x01",
            b"\x60" + bytes(5) + b"\x3a\xff",
        ]
    )
    protocols = st.sampled_from([b"", b"\x01", b"\x06", b"\x11", b"\x02"])
    return st.builds(lambda *parts: b"".join(parts), header, types, starts, protocols, st.binary(max_size=60))


_PACKETS = RewrittenModules(lambda name: name.startswith("os_ken.lib.packet"))


@given(frames())
def test_packet_library_rewritten_is_the_same(frame: bytes) -> None:
    _same_packets(frame)


def _same_packets(frame: bytes) -> None:
    results = []
    for packet in (importlib.import_module("os_ken.lib.packet.packet"), _PACKETS.load("os_ken.lib.packet.packet")):
        try:
            parsed = packet.Packet(frame)
            found: list[Any] = [str(parsed), [type(each).__name__ for each in parsed.protocols]]
        except Exception as error:
            found = [type(error).__name__, str(error)]
        else:
            try:
                parsed.serialize()
                found.append(bytes(parsed.data))
            except Exception as error:
                found += [type(error).__name__, str(error)]
        results.append(found)
    assert results[0] == results[1]


def test_names_of_a_copy_can_be_changed_before_others_import_them() -> None:
    world = RewrittenModules(
        lambda name: name in ("json", "json.decoder", "json.scanner"),
        changes={"json.scanner": lambda module: {"NUMBER_RE": f"{module.__name__} changed"}},
    )
    assert world.load("json.scanner").NUMBER_RE == "json.scanner changed"
    assert world.load("json.decoder").scanner.NUMBER_RE == "json.scanner changed"
    assert importlib.import_module("json.scanner").NUMBER_RE.pattern.startswith("(")


def test_a_function_with_the_name_of_its_module_stays_a_function() -> None:
    world = RewrittenModules(lambda name: name.startswith("sdnloom.network.packet"))
    module = world.run("from sdnloom.network.packet import decode, encode\ndef f(d): return encode(decode(d))", "a.py")
    assert module.f(bytes(20)) == bytes(20)
