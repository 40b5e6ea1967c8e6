"""Every kind of state is restored in place: same contents, objects and sharing. Other state is refused by name."""

import array
import collections
import dataclasses
import enum
import functools
import io
import itertools
import random
import socket
import sys
import threading
import types
import typing
import weakref

import pytest

from sdnloom.platforms.capture.digest import digest
from sdnloom.platforms.capture.save_restore import CaptureError
from sdnloom.platforms.capture.snapshot import Scope, require, restore_snapshot, take_snapshot
from sdnloom.platforms.sandbox.pure_lru_cache import lru_cache

SCOPE = Scope()


class Thing:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)

    def method(self):
        return self


class Slotted:
    __slots__ = ("__private", "left", "right")

    def __init__(self, left=None):
        self.left = left
        self.__private = [1]

    def private(self):
        return self.__private


class SlottedMore(Slotted):
    __slots__ = ("left", "more")  # `left` hides the one of the base


class Loud(dict):
    """A dict whose every method is overridden with something harmful."""

    def harm(self, *args, **kwargs):
        raise AssertionError("a snapshot ran the program's code")

    __iter__ = __getitem__ = __setitem__ = keys = items = values = clear = update = copy = harm


class LoudList(list):
    def harm(self, *args, **kwargs):
        raise AssertionError("a snapshot ran the program's code")

    __iter__ = __getitem__ = __setitem__ = clear = extend = copy = harm


class Recent(collections.OrderedDict):
    """Reading moves an entry to the end."""

    def __getitem__(self, key):
        self.move_to_end(key)
        return super().__getitem__(key)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Point:
    x: int
    y: list


@dataclasses.dataclass(frozen=True, slots=True)
class Fixed:
    inner: list


class Computed:
    def __init__(self):
        self._hidden = 1

    @property
    def shown(self):
        raise AssertionError("a snapshot ran a property")


def change_ordered(held):
    held.move_to_end(1)


def change_count(held):
    next(held)


CASES = {
    "dict": (lambda: {1: "a", "b": [2]}, lambda held: (held.pop(1), held["b"].append(3), held.update(c=1))),
    "list": (lambda: [1, [2], 3], lambda held: (held.reverse(), held.append(4))),
    "set": (lambda: {1, 2, 3}, lambda held: (held.discard(1), held.add(9))),
    "set of objects": (lambda: {Thing(a=1), Thing(a=2)}, lambda held: (held.pop(), held.add(Thing(a=3)))),
    "deque": (lambda: collections.deque([1, 2, 3], maxlen=3), lambda held: held.appendleft(7)),
    "defaultdict": (lambda: collections.defaultdict(list), lambda held: held[5].append(1)),
    "default factory": (
        lambda: collections.defaultdict(list),
        lambda held: setattr(held, "default_factory", set),
    ),
    "OrderedDict": (lambda: collections.OrderedDict([(1, 2), (3, 4)]), change_ordered),
    "OrderedDict that reads by moving": (lambda: Recent([(1, 2), (3, 4)]), change_ordered),
    "Counter": (lambda: collections.Counter("aab"), lambda held: held.update("b")),
    "ChainMap": (lambda: collections.ChainMap({1: 2}), lambda held: held.__setitem__(3, 4)),
    "bytearray": (lambda: bytearray(b"abc"), lambda held: held.extend(b"d")),
    "array": (lambda: array.array("H", [1, 2]), lambda held: held.append(3)),
    "instance": (lambda: Thing(a=1, b=[]), lambda held: (held.b.append(1), vars(held).pop("a"), setattr(held, "c", 2))),
    "slots": (
        lambda: Slotted([1]),
        lambda held: (held.left.append(2), setattr(held, "right", 1), held.private().clear()),
    ),
    "deleted slot": (lambda: Slotted([1]), lambda held: delattr(held, "left")),
    "slots of a subclass": (lambda: SlottedMore([1]), lambda held: setattr(held, "more", 3)),
    "dict with methods of its own": (lambda: Loud({1: 2}), lambda held: dict.__setitem__(held, 3, 4)),
    "list with methods of its own": (lambda: LoudList([1]), lambda held: list.append(held, 2)),
    "dataclass": (lambda: Point(1, []), lambda held: (setattr(held, "x", 2), held.y.append(1))),
    "frozen dataclass": (lambda: Fixed([]), lambda held: held.inner.append(1)),
    "property is not run": (Computed, lambda held: setattr(held, "_hidden", 2)),
    "list inside a tuple": (lambda: (1, [2]), lambda held: held[1].append(3)),
    "bound method": (lambda: Thing(a=1).method, lambda held: setattr(held.__self__, "a", 2)),
    "method of a built-in": (lambda: [1].append, lambda held: held(2)),
    "partial": (lambda: functools.partial(Thing, a=[]), lambda held: held.keywords["a"].append(1)),
    "namespace": (lambda: types.SimpleNamespace(a=1), lambda held: setattr(held, "a", 2)),
    "proxy of a dict": (
        lambda: Thing(**(lambda d: {"d": d, "p": types.MappingProxyType(d)})({})),
        lambda t: t.d.update(a=1),
    ),
    "error": (lambda: ValueError("a", [1]), lambda held: held.args[1].append(2)),
    "random": (lambda: random.Random(7), lambda held: held.random()),
    "bytes in memory": (lambda: io.BytesIO(b"abc"), lambda held: held.read(2)),
    "text in memory": (lambda: io.StringIO("abc"), lambda held: held.write("z")),
    "count": (lambda: [itertools.count(5)], lambda held: next(held[0])),
    "count in steps": (lambda: Thing(c=itertools.count(5, 3)), lambda held: next(held.c)),
    "iterator of a list": (lambda: [iter([1, 2, 3])], lambda held: list(held[0])),
    "free lock that gets held": (lambda: threading.Lock(), lambda held: held.acquire()),
    "free reentrant lock that gets held": (lambda: threading.RLock(), lambda held: (held.acquire(), held.acquire())),
    "condition": (lambda: threading.Condition(), lambda held: held._waiters.append(1)),
    "enum in a list": (lambda: [Colour.RED], lambda held: held.__setitem__(0, Colour.BLUE)),
}


@pytest.mark.parametrize(("make", "change"), CASES.values(), ids=CASES.keys())
def test_state_is_put_back(make, change):
    held = make()
    roots = {"state": held}
    before, snapshot = digest(roots, SCOPE), require(take_snapshot(roots, SCOPE))
    change(held)
    assert digest(roots, SCOPE, opaque=lambda each: "held") != before
    restore_snapshot(snapshot)
    assert digest(roots, SCOPE) == before


def test_objects_and_sharing_stay_the_same():
    shared = [1]
    held = Thing(a=shared, b={"k": shared}, c=(shared,))
    held.me = held
    snapshot = take_snapshot({"state": held}, SCOPE)
    held.a, held.b, held.me = [1], {}, None
    shared.append(2)
    restore_snapshot(snapshot)
    assert held.a is held.b["k"] is held.c[0] is shared == [1]
    assert held.me is held


def test_variable_of_a_closure_is_put_back():
    def counter():
        n, seen = 0, []

        def step():
            nonlocal n
            n += 1
            seen.append(n)
            return n

        return step

    step = counter()
    roots = {"step": step}
    step()
    before, snapshot = digest(roots, SCOPE), require(take_snapshot(roots, SCOPE))
    assert [step(), step()] == [2, 3]
    assert digest(roots, SCOPE) != before
    restore_snapshot(snapshot)
    assert digest(roots, SCOPE) == before
    assert step() == 2


def test_cell_that_was_not_bound_is_unbound_again():
    def outer():
        def reader():
            return late

        def writer():
            nonlocal late
            late = 1

        if reader is None:
            late = 0
        return reader, writer

    reader, writer = outer()
    snapshot = require(take_snapshot({"both": [reader, writer]}, SCOPE))
    writer()
    assert reader() == 1
    restore_snapshot(snapshot)
    with pytest.raises(NameError):
        reader()


def test_mutable_default_is_put_back():
    def append(value, into=[], *, named={}):  # noqa: B006
        into.append(value)
        named[value] = 1
        return into, named

    snapshot = require(take_snapshot({"f": append}, SCOPE))
    append(1)
    append.calls = 1
    restore_snapshot(snapshot)
    assert append(2) == ([2], {2: 1})
    assert not hasattr(append, "calls")


def test_unbounded_cache_is_put_back():
    calls = []

    @functools.cache
    def double(n):
        calls.append(n)
        return 2 * n

    double(1)
    snapshot = require(take_snapshot({"f": double}, SCOPE))
    double(2)
    restore_snapshot(snapshot)
    assert calls == [1]
    assert (double(1), double(2), calls) == (2, 4, [1, 2])


def test_bounded_cache_made_in_c_is_refused_and_its_substitute_is_put_back():
    refused = take_snapshot({"f": functools.lru_cache(maxsize=2)(lambda n: n)}, SCOPE).refused
    assert [str(each) for each in refused] == [
        "f is a bounded lru_cache made in C, whose order of use cannot be put back"
    ]
    calls = []

    @lru_cache(maxsize=2)
    def double(n):
        calls.append(n)
        return 2 * n

    double(1), double(2)
    snapshot = require(take_snapshot({"f": double}, SCOPE))
    double(1), double(3)  # 2 is forgotten
    restore_snapshot(snapshot)
    assert calls == [1, 2]
    double(3)  # 1 is forgotten, as it was used first
    assert [double(2), double(1), calls] == [4, 2, [1, 2, 3, 1]]


def test_substitute_of_the_cache_gives_what_functools_gives():
    def run(decorate):
        calls = []

        class Owner:
            @decorate(maxsize=3)
            def method(self, a, b=0):
                calls.append((a, b))
                return a + b

        owner, draw = Owner(), random.Random(3)
        for _ in range(200):
            owner.method(draw.randrange(3), draw.randrange(3))
            owner.method(draw.randrange(3), b=draw.randrange(2))
        return calls, tuple(Owner.method.cache_info()), Owner.method.cache_parameters()

    assert run(lru_cache) == run(functools.lru_cache)


def test_count_shared_by_two_holders_stays_shared():
    ids = itertools.count(3)
    held = Thing(a=ids, b=[ids])
    snapshot = require(take_snapshot({"state": held}, SCOPE))
    for _ in range(3):
        next(ids)
        restore_snapshot(snapshot)
        assert held.a is held.b[0]
        ids = held.a
    assert [next(held.a), next(held.b[0])] == [3, 4]


def test_two_snapshots_do_not_disturb_each_other():
    held = Thing(ids=itertools.count(), log=[])
    roots = {"state": held}
    snapshots, digests = [], []
    for _ in range(4):
        snapshots.append(require(take_snapshot(roots, SCOPE)))
        digests.append(digest(roots, SCOPE))
        held.log.append(next(held.ids))
    for place in (2, 0, 3, 1, 0, 2):
        restore_snapshot(snapshots[place])
        assert digest(roots, SCOPE) == digests[place]
        assert next(held.ids) == place


def generate():
    yield 1


def refused_things():
    held, reentrant, target = threading.Lock(), threading.RLock(), Thing()
    held.acquire()
    reentrant.acquire()
    return {
        "generator": (generate(), "state.x['k'][0] is a generator, whose frame cannot be copied"),
        "held lock": (held, "state.x['k'][0] is a lock that is held"),
        "held reentrant lock": (reentrant, "state.x['k'][0] is a lock that is held"),
        "thread": (threading.Thread(), "state.x['k'][0] is a thread, which cannot be copied"),
        "weak reference": (
            (weakref.ref(target), target),
            "state.x['k'][0][0] is a weak reference, whose target a snapshot keeps alive",
        ),
        "memory view": (
            memoryview(b""),
            "state.x['k'][0] is a builtins.memoryview, whose state cannot be read or put back",
        ),
        "map": (map(abs, []), "state.x['k'][0] is a builtins.map, whose state cannot be read or put back"),
        "count in a tuple": ((itertools.count(),), "state.x['k'][0] is an immutable holder of an iterator"),
    }


@pytest.mark.parametrize("name", refused_things())
def test_what_cannot_be_captured_is_named_by_its_path(name):
    thing, text = refused_things()[name]
    snapshot = take_snapshot({"state": Thing(x={"k": [thing]})}, SCOPE)
    assert [str(each) for each in snapshot.refused] == [text]
    with pytest.raises(CaptureError, match="expected state that can be copied"):
        require(snapshot)


def test_files_and_sockets_are_refused(tmp_path):
    with open(tmp_path / "file", "w") as file, socket.socket() as opened:
        reasons = [each.why for each in take_snapshot({"a": file, "b": opened}, SCOPE).refused]
    assert reasons == [
        "a socket.socket, whose state cannot be read or put back",
        "an open file, whose position and contents are outside of the program",
    ]


def test_path_goes_through_closures_and_slots():
    def outer():
        hidden = generate()
        return lambda: hidden

    assert str(take_snapshot({"app": Slotted([outer()])}, SCOPE).refused[0]).startswith(
        "app.left[0].hidden is a generator"
    )


def test_dead_weak_reference_is_a_value():
    dead = weakref.ref(Thing())
    assert not take_snapshot({"state": [dead]}, SCOPE).refused


def test_pinned_object_is_known_by_name_only():
    pinned = Thing(generator=generate())
    scope = Scope(pins={"datapath 1": pinned})
    roots = {"state": Thing(datapath=pinned)}
    before, snapshot = digest(roots, scope), require(take_snapshot(roots, scope))
    pinned.xid = 5
    assert digest(roots, scope) == before
    restore_snapshot(snapshot)
    assert pinned.xid == 5


def test_class_made_while_the_program_runs_is_captured():
    class Local:
        seen = []  # noqa: RUF012

    Local.__module__ = "program"
    scope, roots = Scope({"program"}), {"state": [Local()]}
    before, snapshot = digest(roots, scope), require(take_snapshot(roots, scope))
    Local.seen.append(1)
    Local.count = 1
    assert digest(roots, scope) != before
    restore_snapshot(snapshot)
    assert digest(roots, scope) == before


def test_class_of_a_named_tuple_is_captured_and_its_fields_are_told_apart():
    one, other = (collections.namedtuple("Pair", names) for names in (("left", "right"), ("right", "left")))
    scope = Scope({one.__module__})
    require(take_snapshot({"pair": one, "value": one(1, 2)}, scope))
    assert digest({"pair": one}, scope) != digest({"pair": other}, scope)


def test_type_parameters_are_values():
    def of(name):
        state = [typing.TypeVar(name), typing.ParamSpec(name), typing.TypeVarTuple(name)]
        require(take_snapshot({"state": state}, SCOPE))
        return digest({"state": state}, SCOPE)

    assert of("T") == of("T") != of("S")


if sys.version_info >= (3, 12):  # the syntax is new there

    def test_what_a_type_alias_stands_for_is_not_looked_at():
        names = {"__name__": "made_here"}
        exec(
            "type Pair[T] = harm()\nclass Box[S: harm()]:\n items = []\ndef f[R: harm()](x: R, *seen): return x", names
        )
        state, scope = {"state": [names["Pair"], names["Box"], names["f"]]}, Scope(modules=["made_here"])
        before, kept = digest(state, scope), require(take_snapshot(state, scope))
        names["Box"].items.append(1)
        assert digest(state, scope) != before
        restore_snapshot(kept)
        assert digest(state, scope) == before
        assert names["Box"].items == []


def test_deep_state_is_no_problem():
    deep = []
    for _ in range(20_000):
        deep = [deep]
    roots = {"deep": deep}
    before, snapshot = digest(roots, SCOPE), require(take_snapshot(roots, SCOPE))
    deep.append(1)
    restore_snapshot(snapshot)
    assert digest(roots, SCOPE) == before
    assert snapshot.size == 20_001
    while deep:  # freed from the outside in, for freeing it whole is deep as well
        deep = deep[0]


def test_a_table_of_prefixes_made_in_c_is_restored():
    pytricia = pytest.importorskip("pytricia")

    class Table(pytricia.PyTricia):
        pass

    table = Table(32)
    table["10.0.0.0/8"] = inner = ["wide"]
    table["10.1.0.0/16"] = "narrow"
    roots = {"table": table}
    before, taken = digest(roots, SCOPE), require(take_snapshot(roots, SCOPE))
    del table["10.1.0.0/16"]
    table["0.0.0.0/0"] = "all"
    table["10.0.0.0/8"] = "other"
    inner.append("changed")
    assert digest(roots, SCOPE) != before
    restore_snapshot(taken)
    assert (table["10.1.2.3"], table["10.2.0.1"], "192.0.2.1" in table) == ("narrow", ["wide"], False)
    assert table["10.2.0.1"] is inner
    assert digest(roots, SCOPE) == before
