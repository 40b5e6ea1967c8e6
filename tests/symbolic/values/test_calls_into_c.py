# ruff: noqa: E501 (a table: one construct a line)
"""Symbolic values that reach functions in C indirectly: by iterators, callbacks, containers, classes in C."""

import pytest

from sdnloom.symbolic.values.make import IPV4, MAC
from tests.symbolic.values.comparison import Address, Letter, Number, compare_with_original

X, Y = Number(15), Number(7)
MAC_TEXT, IP_TEXT = Address(MAC, 48), Address(IPV4, 32, 0x0A000000)

HANDED_OVER = {
    "enum of a number": ("import enum\nclass E(enum.IntEnum):\n A=3\n B=5\ndef f(x):\n try: return E(x).name\n except ValueError: return 'none'", {"x": X}),
    "enum of a text": ("import enum\nclass E(enum.Enum):\n A='a'\n B='b'\ndef f(s):\n try: return E(s).name\n except ValueError: return 'none'", {"s": Letter()}),
    "enum that takes others in": ("import enum\nclass E(enum.IntEnum):\n A=3\n B=5\n @classmethod\n def _missing_(cls, v): return cls.B if v > 9 else None\ndef f(x):\n try: return E(x).name\n except ValueError: return 'none'", {"x": X}),
    "flags of a number": ("import enum\nclass F(enum.IntFlag):\n A=1\n B=2\ndef f(x):\n v = F(x)\n return bool(v & F.A), F.B in v, v == 6, v.value", {"x": X}),
    "flags beside a number": ("import enum\nclass F(enum.IntFlag):\n A=1\n B=2\ndef f(x): return F.A & x == 1, (x & F.B) == 2, F.A | x == 3", {"x": X}),
    "flags of a symbolic number": ("import enum\nclass F(enum.IntFlag):\n A=1\n B=2\n C=4\ndef f(x): return (x & F.A).name, repr(F.B & x), F.A in (x & (F.A | F.C)), isinstance(x & F.A, F), bool(x & F.B)", {"x": X}),
    "a subclass of list that is filled later": ("class L(list): pass\ndef f(x):\n k = L()\n k.append(x)\n return bytes(k), sum(k), 3 in k, k == [3]", {"x": X}),
    "a subclass of list with its own order": ("class L(list):\n def __iter__(self): return iter(self[::-1])\ndef f(x):\n k = L([1])\n k.append(x)\n return bytes(k), int.from_bytes(k, 'big'), list(map(hex, k))", {"x": X}),
    "an object that can be iterated": ("class Box:\n def __init__(self, *parts): self.parts = parts\n def __iter__(self): return iter(self.parts)\ndef f(x): return bytes(Box(x, 1)), list(map(str, Box(x))), sum(Box(x, 2))", {"x": X}),
    "a subclass of a class of collections": ("import collections\nclass U(collections.UserList): pass\ndef f(x): return bytes(U([x, 2])), json.dumps(list(U([x]))), U([x]) == [3]\nimport json", {"x": X}),
    "class of a range": ("def f(x): return isinstance(range(x), range), list(range(x))[-1:] == [2], len(range(x)[1:])", {"x": Y}),
    "a subclass of list in C": ("class L(list): pass\ndef f(x):\n k = L([x, 1])\n return sorted(k), sum(k), max(k), k.count(1), bytes(k), tuple(k), 3 in k, k == [3, 1]", {"x": X}),
    "map int split": ("def f(a): return list(map(int, a.split('.')))[3] == 3", {"a": IP_TEXT}),
    "map ord": ('def f(s): return list(map(ord, s))[0] == 65', {"s": Letter()}),
    "map chr": ("def f(x): return list(map(chr, [x+60]))[0] == 'A'", {"x": X}),
    "map hex": ("def f(x): return list(map(hex, [x])) == ['0xc']", {"x": X}),
    "function of a dict with symbolic keys": ('def f(x):\n d={}\n d[x]=1\n return list(map(d.get, [1,5]))', {"x": X}),
    "filter by a dict with symbolic keys": ('def f(x):\n d={x:1}\n return list(filter(d.__contains__, range(4)))', {"x": X}),
    "join reversed": ("def f(a): return '.'.join(reversed(a.split('.'))) == '3.0.0.10'", {"a": IP_TEXT}),
    "join reversed text": ("def f(a): return ''.join(reversed(a)) == '3.0.0.01'", {"a": IP_TEXT}),
    "join of an iterator": ("def f(a): return '.'.join(iter(a.split('.'))) == '10.0.0.3'", {"a": IP_TEXT}),
    "join chain": ("import itertools\ndef f(a): return '.'.join(itertools.chain(a.split('.'), ['x'])) == '10.0.0.3.x'", {"a": IP_TEXT}),
    "join islice": ("import itertools\ndef f(a): return '.'.join(itertools.islice(a.split('.'), 2, None)) == '0.3'", {"a": IP_TEXT}),
    "join values": ("def f(a): return '.'.join({1: a, 2: 'b'}.values()) == '10.0.0.3.b'", {"a": IP_TEXT}),
    "join deque": ("import collections\ndef f(a): return '.'.join(collections.deque([a, 'b'])) == '10.0.0.3.b'", {"a": IP_TEXT}),
    "bytes reversed": ("def f(x): return bytes(reversed([x, 1])) == b'\\x01\\x03'", {"x": X}),
    "bytes iter": ("def f(x): return bytes(iter([x, 1])) == b'\\x03\\x01'", {"x": X}),
    "bytes chain": ("import itertools\ndef f(x): return bytes(itertools.chain([x], [1])) == b'\\x03\\x01'", {"x": X}),
    "bytes deque": ("import collections\ndef f(x): return bytes(collections.deque([x, 1])) == b'\\x03\\x01'", {"x": X}),
    "bytes values": ("def f(x): return bytes({1:x}.values()) == b'\\x03'", {"x": X}),
    "bytes of map int": ("def f(a): return bytes(map(int, a.split('.')))[3] == 3", {"a": IP_TEXT}),
    "pow with a symbolic exponent and a modulus": ('def f(x): return pow(2, x, 7)', {"x": X}),
    "pow with a symbolic modulus": ('def f(x): return pow(3, 2, x+1)', {"x": X}),
    "islice count": ('import itertools\ndef f(x): return list(itertools.islice([1,2,3,4,5,6], x))', {"x": X}),
    "repeat count": ("import itertools\ndef f(x): return list(itertools.repeat('a', x))", {"x": X}),
    "product count": ("import itertools\ndef f(x): return list(itertools.product('a', repeat=x))", {"x": Y}),
    "combinations count": ("import itertools\ndef f(x): return list(itertools.combinations('abcd', x))", {"x": Y}),
    "deque maxlen": ('import collections\ndef f(x): return list(collections.deque([1,2,3], x)), list(collections.deque([1,2,3], maxlen=x))', {"x": Y}),
    "sorted float": ('def f(x): return sorted([2.5, x, True])', {"x": Y}),
    "sorted reverse": ('def f(x): return sorted([1,2], reverse=x)', {"x": Y}),
    "tuples with an enum on the left": ('import enum\nclass E(enum.IntEnum):\n A=3\ndef f(x): return (E.A, 1) == (x, 1), [E.A] == [x], (E.A,1) < (x,1), (E.A, 1) != (x, 1)', {"x": Y}),
    "tuples with a bool on the left": ('def f(x): return (True, 1) == (x, 1), ((True,),) == ((x,),)', {"x": Y}),
    "dicts in lists": ('def f(x): return [{x: 1}] == [{3: 1}]', {"x": Y}),
    "sets in containers": ('def f(x): return ({x, 2},) == ({3, 2},), [frozenset([x])] == [frozenset([3])]', {"x": Y}),
    "sets among elements": ('def f(x): return [{3}, {x}].index({5}) if {5} in [{3},{x}] else -1', {"x": Y}),
    "in values of a dict": ('import enum\nclass E(enum.IntEnum):\n A=3\nD={1:E.A}\ndef f(x): return x in D.values()', {"x": Y}),
    "namedtuple key": ("import collections\nP=collections.namedtuple('P','a b')\ndef f(x): return {P(1,2): 'a'}.get(P(1,x))", {"x": Y}),
    "namedtuple repr": ("import collections\nP=collections.namedtuple('P','a b')\ndef f(x): return repr(P(1,x)) == 'P(a=1, b=3)', str(P(1,x)) == 'P(a=1, b=4)', '%s' % (P(1,x),) == 'P(a=1, b=5)', f'{P(1,x)}' == 'P(a=1, b=6)'", {"x": Y}),
    "set operations in a fixed order": ('def f(x,y):\n s={x,y,3}\n return len(s & {1,2}), len(s - {3}), len(s ^ {1}), len(s.union([5,x])), s <= {1,2,3}, s >= {1}', {"x": Number(3), "y": Number(3)}),
    "itemgetter": ('import operator\ndef f(x): return operator.itemgetter(x)([1,2,3])', {"x": X}),
    "chained comparison that is iterated over": ('def g(v): return v\ndef f(x): return [k for k in [1 < g(x) < 5]], [k for k in (True == g(x) == 1, 0)]', {"x": Y}),
    "chained comparison with a bool that is iterated over": ('def g(v): return v\ndef f(x): return [k for k in ([True <= g(x) < 5])]', {"x": Y}),
    "augmented slice": ('def f(x):\n l=[1,2,3,4]\n l[:x] *= 2\n return l', {"x": Y}),
    "class in function": ("D={3:'a'}\ndef f(x):\n class K:\n  v = D.get(x)\n  w = [1,2,3][x] if x < 3 else 0\n return K.v, K.w", {"x": Y}),
    "mapping pattern inside a pattern": ("def f(x):\n d={x: 1}\n match (d, 1):\n  case ({3: v}, _): return v\n  case _: return 'd'", {"x": Y}),
    "mapping pattern of an attribute": ("class S: pass\ndef f(x):\n s=S()\n s.d={x: 1}\n match s:\n  case S(d={3: v}): return v\n  case _: return 'd'", {"x": Y}),
    "itertools with functions in C": ('import itertools\ndef f(x):\n d={x:1}\n return list(itertools.takewhile(d.__contains__, [3,4])), list(itertools.filterfalse({1,x}.__contains__, [1,2,3])), list(itertools.starmap(int, [(str(x), 10)]))', {"x": Y}),
    "partial in map": ("import functools\nH=functools.partial(int, base=16)\ndef f(a): return H(a[-2:]) == 10, list(map(H, a.split(':')))[5] == 9, functools.reduce(lambda n, o: n*256+int(o,16), a.split(':'), 0) == 3", {"a": MAC_TEXT}),
    "cache called as a function": ('import functools\n@functools.cache\ndef g(k): return k == 3\nh=functools.lru_cache(lambda k: k == 4)\nclass C:\n @functools.cached_property\n def p(s): return s.v == 5\n @functools.lru_cache\n def q(s, k): return k == 6\ndef f(x):\n c=C()\n c.v=x\n return g(x), h(x), c.p, c.q(x)', {"x": Y}),
    "deeply nested argument": ("import json\ndef f(x): return json.dumps({'a':[{'b':{'c':[{'d':[x]}]}}]}) == json.dumps({'a':[{'b':{'c':[{'d':[3]}]}}]})", {"x": Y}),
    "range compared": ('def f(x, y): return list(range(x, y)), len(range(x)), x in range(3), range(x)[0] if x else 0, list(reversed(range(x))), sum(range(x)), range(x) == range(3), [i for i in range(0, y, x or 1)], max(range(x+1)), list(range(x))[-1:]', {"x": Number(4), "y": Number(4)}),
    "OrderedDict eq": ('import collections\ndef f(x):\n a=collections.OrderedDict([(x,1),(20,2)])\n b=collections.OrderedDict([(20,2),(3,1)])\n return a == b, a == dict(b), list(a)[0] == 4', {"x": Y}),
    "int subclass": ('class D(int): pass\ndef f(x): return D(x) == 3, {3: 1}.get(D(x))', {"x": Y}),
    "bytes subclass": ("class D(bytes): pass\ndef f(x): return D([x]) == b'\\3'", {"x": Y}),
    "tuple subclass": ('class D(tuple):\n def key(s): return s[0]\ndef f(x): return D([x, 1]).key() == 3, D((x, 1)) == (4, 1), {(5,1): 2}.get(D((x,1)))', {"x": Y}),
    "list subclass": ("class D(list): pass\ndef f(x):\n d=D([x])\n d.append(1)\n return d == [3, 1], 4 in d, d[0] == 5, ''.join(D([str(x)])) == '6'", {"x": Y}),
    "array": ("import array\ndef f(x): return array.array('B', [x])[0] == 3, bytes(array.array('B', [1, x]))[1]", {"x": Y}),
    "named tuples compared": ("import collections, enum\nclass E(enum.IntEnum):\n A=3\nP=collections.namedtuple('P','a b')\ndef f(x): return P(E.A,1) == P(x,1), P(E.A, 1) in [P(x,1)], P(x,1) in {P(3,1): 1}, P(2.0,1) < P(x,1), [P(True,1)].index(P(x,1)) if P(x,1) in [P(True,1)] else 0, {P(x,1)} == {P(4,1)}", {"x": Y}),
    "named tuples as keys": ("import collections\nP=collections.namedtuple('P','a b')\ndef f(x):\n d={P(1,2): {P(3,4): 'v'}}\n return d.get(P(1,x), {}).get(P(3,x+2)), len(set([P(1,x), P(1,3)])), sorted([P(x,1), P(3,0)])[0].b", {"x": Y}),
    "dict eq values enum": ("import enum\nclass E(enum.IntEnum):\n A=3\ndef f(x): return {'a': E.A} == {'a': x}, {'a': [E.A]} == {'a': [x]}, {'a': 1.0} != {'a': x}", {"x": Y}),
    "sort by a function in C": ("def f(x):\n l=['5', str(x)]\n l.sort(key=int)\n return l[0] == '5', sorted(l, key=int, reverse=True)[0] == '5', max(l, key=int) == '5', min(l, key=len)", {"x": X}),
    "groupby and accumulate with functions in C": ("import itertools\ndef f(x): return [(k, len(list(g))) for k, g in itertools.groupby(['1', str(x)], int)], [k for k, g in itertools.groupby(['1', str(x)], key=int)], list(itertools.accumulate([1,x], max)), list(itertools.accumulate([1,x], func=min))", {"x": Y}),
    "map of functions in C": ("import operator\ndef f(x): return list(map(operator.eq, [x, 1], [3, x])), list(map(max, [x], [3])), list(map(pow, [x],[2])), list(map(divmod, [x],[2])), list(map(lambda *a: a, [x])), list(map(dict, [[('a', x)]])), list(map(tuple, [[x]])), list(map(set, [[x, 1]])), list(map(bytes, [[x]]))", {"x": Y}),
    "map of methods": ("class C:\n def __init__(s): s.d={3: 'a'}\n def g(s, k): return s.d.get(k)\ndef f(x):\n c=C()\n return list(map(c.g, [x])), list(map(C().d.get, [x])), list(map(c.d.__contains__, [x]))", {"x": Y}),
    "divmod and pow with others on the left": ('def f(x): return divmod(7.5, x+1), divmod(x, 2), divmod(True, x+1), pow(True, x), pow(x, 2), pow(2.0, x), round(x, -1), round(x)', {"x": Y}),
    "deque handed to C": ("import collections\ndef f(x):\n d=collections.deque([str(x)])\n return ','.join(d) == '3', bytes(collections.deque([x])) == b'\\4', max(collections.deque([x, 2])), sorted(collections.deque([x,3])), list(map(int, d)), tuple(d) == ('5',)", {"x": Y}),
    "order of lists and tuples": ("def f(x): return [1, x] < [1, 3], (x,) >= (4,), [x] == [5], [x] == (5,), (1,) < (x, 1), [[x]] == [[2]], [1, x] != [1, 6], (x, 'a') < (3, 'b'), () == (x,), [x] > []", {"x": Y}),
    "class body": ("def f(x):\n class K:\n  d={3: 'a'}\n  v=d.get(x)\n  w=1 < (x + 0) < 5\n  c=[k for k in (1,2) if k < x]\n  def m(self): return {4: 'z'}.get(x)\n return K.v, K.w, K.c, K().m()", {"x": Y}),
}  # fmt: skip


@pytest.mark.parametrize("name", HANDED_OVER)
def test_no_use_of_a_value_in_c_is_lost_silently(name: str) -> None:
    source, arguments = HANDED_OVER[name]
    found = compare_with_original(source, **arguments)
    assert found.complete or found.concretised, found.reasons


@pytest.mark.parametrize(
    ("source", "construct"),
    [
        ("class Mac(str): pass\ndef f(a): return Mac(a) == '00:00:00:00:00:03'", "call of under_test.Mac"),
        ("class Mac(str):\n def __new__(cls, v): return super().__new__(cls, v)\ndef f(a): return Mac(a) == 'x'", "str.__new__"),
        ("import json\ndef f(a): return json.dumps([[[[[[a]]]]]]) == ''", "call of json.dumps"),
        ("import collections\nP = collections.namedtuple('P', 'a')\ndef f(a): return str(P(a)) == ''", "str of a container"),
        ("import statistics\ndef f(a): return statistics.mode(c for c in [a])", "call of statistics.mode"),
    ],
)  # fmt: skip
def test_a_value_that_is_concretised_in_c_is_reported(source: str, construct: str) -> None:
    found = compare_with_original(source, a=Address(MAC, 48, high=20))
    assert any(construct in site.construct for site, _ in found.concretised), found.concretised
