"""Sets of a program's objects iterate in the same order whenever the program is made again."""

import types

from sdnloom.platforms.osken.program import OskenProgram
from sdnloom.platforms.sandbox.stable_hash import settle_hashes
from tests.platforms.osken.helpers import app

SOURCE = """
import dataclasses, enum

class Plain:
    class Inside:
        pass

class Derived(Plain): pass
class Compared:
    def __eq__(self, other): return True
class Hashed:
    def __hash__(self): return 7
class Colour(enum.Enum):
    RED = 1
@dataclasses.dataclass(frozen=True)
class Value:
    number: int
class Meta(type): pass
class Made(metaclass=Meta): pass
class Trouble(Exception): pass
class Text(str): pass
"""
HOLDS_A_SET = """
from os_ken.base import app_manager

class Part:
    def __init__(self, number):
        self.number = number

class Holds(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        parts = [Part(number) for number in range(50)]
        self.parts = set(parts)
        self.parts -= set(parts[::7])
        self.order = [part.number for part in self.parts]
        self.kept = {part: part.number for part in parts}
        self.found = all(self.kept[part] == part.number for part in parts) and parts[0] not in self.parts
"""


def made():
    module = types.ModuleType("under_test")
    exec(SOURCE, vars(module))
    settle_hashes(module)
    return module


def test_only_classes_that_hash_by_address_change():
    one, other = made(), made()
    for name in ("Plain", "Derived", "Made", "Trouble"):
        kinds = getattr(one, name), getattr(other, name)
        assert len({hash(kind()) for kind in (*kinds, *kinds)}) == 1
    assert hash(one.Plain()) != hash(one.Derived())
    assert hash(one.Plain.Inside()) == hash(other.Plain.Inside())
    assert one.Compared.__hash__ is None
    assert (hash(one.Hashed()), hash(one.Value(3)), hash(one.Text("a"))) == (7, hash((3,)), hash("a"))
    assert hash(one.Colour.RED) == hash("RED")
    assert hash(one.Plain) == object.__hash__(one.Plain)


def test_an_app_that_is_made_again_sees_its_sets_in_the_same_order(tmp_path):
    (tmp_path / "holds.py").write_text(HOLDS_A_SET)
    programs = [OskenProgram([tmp_path / "holds.py"]) for _ in range(3)]
    orders = {tuple(app(each, "Holds").order) for each in programs}
    assert len(orders) == 1
    assert len(orders.pop()) == 42
    assert all(app(each, "Holds").found for each in programs)
    assert len({each.initial() for each in programs}) == 1
