"""The state of a program is all that its code can change; constant parts cost nothing."""

import sys
import types

import pytest

from sdnloom.platforms.capture.digest import canonical_text, digest
from sdnloom.platforms.capture.roots import Roots
from sdnloom.platforms.capture.snapshot import Scope, require, restore_snapshot, take_snapshot

SOURCE = """
import collections
import itertools
import logging
import enum
from os.path import join

LOG = logging.getLogger("app")
LIMIT = 3
TABLE = {}
IDS = itertools.count(1)
NAMES = ("a", "b")

class Kind(enum.Enum):
    ONE = 1

class Helper:
    instances = []
    total = 0
    def __init__(self):
        Helper.total += 1
        self.instances.append(self)

    @property
    def size(self):
        return len(self.instances)

    @classmethod
    def reset(cls):
        cls.total = 0
        cls.instances = []

    class Nested:
        seen = set()

class App(Helper):
    def __init__(self):
        super().__init__()
        self.mac_to_port = {}

    def handle(self, dpid, mac, port, log=[]):
        log.append(mac)
        self.mac_to_port.setdefault(dpid, {})[mac] = port

def bump():
    global LIMIT
    LIMIT += 1
    bump.calls = getattr(bump, "calls", 0) + 1

def make():
    n = 0
    def step():
        nonlocal n
        n += 1
        return n
    return step

STEP = make()
"""


@pytest.fixture
def program(monkeypatch):
    module = types.ModuleType("program")
    exec(SOURCE, vars(module))
    monkeypatch.setitem(sys.modules, "program", module)
    app = module.App()
    scope = Scope({"program"})
    roots = Roots(scope, {"app": app}, [module])
    return module, app, scope, roots


CHANGES = {
    "attribute of the app": lambda module, app: app.mac_to_port.update({1: {}}),
    "name of the module": lambda module, app: setattr(module, "LIMIT", 7),
    "new name": lambda module, app: setattr(module, "NEW", [1]),
    "deleted name": lambda module, app: delattr(module, "NAMES"),
    "table of the module": lambda module, app: module.TABLE.update(a=1),
    "table put in place of another": lambda module, app: setattr(module, "TABLE", {"a": 1}),
    "count of the module": lambda module, app: next(module.IDS),
    "list of a class": lambda module, app: module.Helper.instances.clear(),
    "number of a class": lambda module, app: setattr(module.Helper, "total", 9),
    "new attribute of a class": lambda module, app: setattr(module.App, "more", 1),
    "deleted attribute of a class": lambda module, app: delattr(module.Helper, "total"),
    "nested class": lambda module, app: module.Helper.Nested.seen.add(1),
    "class method": lambda module, app: app.reset(),
    "default argument": lambda module, app: app.handle(1, "m", 2),
    "global and attribute of a function": lambda module, app: module.bump(),
    "variable of a closure": lambda module, app: module.STEP(),
    "method put in place of another": lambda module, app: setattr(module.App, "handle", lambda self: None),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_change_is_seen_and_put_back(program, change):
    module, app, scope, roots = program
    before = digest(roots.values, scope)
    first = require(take_snapshot(roots.values, scope))
    change(module, app)
    after = digest(roots.values, scope)
    second = require(take_snapshot(roots.values, scope))
    assert after != before
    for _ in range(2):
        restore_snapshot(first)
        assert digest(roots.values, scope) == before
        assert module.LIMIT == 3
        assert module.Helper.instances == [app]
        restore_snapshot(second)
        assert digest(roots.values, scope) == after


def test_module_that_was_put_back_is_as_fast_as_one_that_never_changed(program):
    module, _, scope, roots = program
    first = take_snapshot(roots.values, scope)
    del module.NAMES
    module.Helper.total = 5
    restore_snapshot(first)
    assert all(roots.values[path].is_as_loaded() for path in ("program", "program.Helper"))


def test_value_equal_to_the_one_at_the_start_is_no_change(program):
    module, _, scope, roots = program
    before = digest(roots.values, scope)
    module.NEW_ONE = 1
    del module.NEW_ONE
    module.LIMIT = int("3")
    module.NAMES = tuple(reversed(("b", "a")))
    assert digest(roots.values, scope) == before


def test_digest_does_not_depend_on_what_was_captured_before(program):
    module, _, scope, roots = program
    module.bump()
    once = digest(roots.values, scope)
    first = take_snapshot(roots.values, scope)
    module.TABLE["x"] = 1
    module.bump()
    digest(roots.values, scope)
    restore_snapshot(first)
    assert digest(roots.values, scope) == once


def test_libraries_constants_and_code_cost_nothing(program):
    _, _, scope, roots = program
    text = canonical_text(roots.values, scope)
    assert not any(word in text for word in ("LOG", "NAMES", "join", "collections", "ONE", "size"))
    # Five namespaces and the functions; the app and its table; TABLE, a list, a set; a function with its attributes and
    # its default list; a closure with its attributes and its cell.
    assert take_snapshot(roots.values, scope).size == 6 + 2 + 3 + 3 + 3


def test_several_modules_share_their_classes(monkeypatch):
    first, second = types.ModuleType("first"), types.ModuleType("second")
    exec("class Shared:\n    seen = []\n", vars(first))
    vars(second)["Shared"] = first.Shared
    scope = Scope({"first", "second"})
    roots = Roots(scope, {}, [first, second])
    assert sorted(roots.values) == ["first.Shared", "functions", "names"]
    before = take_snapshot(roots.values, scope)
    second.Shared.seen.append(1)
    restore_snapshot(before)
    assert first.Shared.seen == []


def test_names_of_modules_that_hold_nothing_mutable_are_looked_at_together():
    quiet = types.ModuleType("quiet")
    exec("LIMIT = 1\nclass Kind:\n    size = 2\n", vars(quiet))
    scope = Scope({"quiet"})
    roots = Roots(scope, {}, [quiet])
    assert sorted(roots.values) == ["functions", "names"]
    assert roots.digest_roots() == {}
    first, text = take_snapshot(roots.values, scope), canonical_text(roots.digest_roots(), scope)
    quiet.LIMIT, quiet.Kind.size, quiet.Kind.fresh = 5, [6], 7
    changed, other = take_snapshot(roots.values, scope), canonical_text(roots.digest_roots(), scope)
    assert text != other
    quiet.Kind.size.append(8)
    restore_snapshot(changed)
    assert (quiet.LIMIT, quiet.Kind.size, quiet.Kind.fresh) == (5, [6], 7)
    assert canonical_text(roots.digest_roots(), scope) == other
    restore_snapshot(first)
    assert (quiet.LIMIT, quiet.Kind.size, hasattr(quiet.Kind, "fresh")) == (1, 2, False)
    assert canonical_text(roots.digest_roots(), scope) == text
