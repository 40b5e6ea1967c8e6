"""Handlers from any state of a bounded shape: against brute force on random programs, and by cases."""

import importlib.util
import itertools
import random
import sys
from collections import defaultdict, deque

import pytest

from sdnloom.inputs.any_state.source_lines import source_facts
from sdnloom.inputs.any_state.state_exploration import StateExplorer, learn_shape, run_in_state
from sdnloom.inputs.any_state.state_shapes import StateBounds, shape_of, shape_text, sketch
from sdnloom.inputs.any_state.state_values import lazy_attributes
from sdnloom.inputs.concolic import ConcolicOptions
from sdnloom.network.events import HandlerRaised
from sdnloom.platforms.line_trace import line_trace
from sdnloom.platforms.python.program import PythonProgram
from sdnloom.symbolic.options import ExplorationOptions
from tests.inputs.brute_force import listed_packets
from tests.inputs.program_pair import Pair

HEAD = """\
from sdnloom.network.packet import decode


class Random:
    def __init__(self):
        self.number = 0
        self.flag = False
        self.last = None
        self.mode = "idle"
        self.table = {}
        self.known = set()
        self.queue = []
        self.limit = 2

    def packet_in(self, net, switch, message):
        frame = decode(message.data).headers[0]
        x, y = frame.dst, frame.type & 1
"""
# What each attribute may be in the domain of the comparison; every state is tried.
NUMBERS = (0, 1, 2)
PAIRS = [*itertools.product(NUMBERS, NUMBERS)]
VALUES = {
    "number": NUMBERS,
    "flag": (False, True),
    "last": (None, *NUMBERS),
    "mode": ("idle", "armed"),
    "table": ({}, *(dict([pair]) for pair in PAIRS)),
    "known": (set(), *({number} for number in NUMBERS)),
    "queue": ([], *([number] for number in NUMBERS)),
}
MET = {"number": 1, "flag": True, "last": 1, "mode": "armed", "table": {1: 1}, "known": {1}, "queue": [1]}
CONDITIONS = {
    "number": ("self.number == x", "self.number > 1", "self.number + x == 3", "y // self.number"),
    "flag": ("self.flag", "not self.flag and x == 1"),
    "last": ("self.last is None", "self.last == x", "self.last > 1"),
    "mode": ("self.mode == 'armed'", "self.mode == 'never'"),
    "table": ("x in self.table", "self.table.get(x) == 2", "self.table[x] > y", "len(self.table) == 1", "self.table"),
    "known": ("x in self.known", "len(self.known) > self.limit"),
    "queue": ("self.queue[0] == x", "self.queue and self.queue[-1] > 1", "x in self.queue"),
}
ACTIONS = {
    "number": ("self.number = x", "self.number += 1"),
    "flag": ("self.flag = not self.flag",),
    "last": ("self.last = x", "self.last = None"),
    "mode": ("self.mode = 'armed'", "self.mode = 'idle'"),
    "table": ("self.table[x] = y", "del self.table[x]", "self.table.pop(x, None)"),
    "known": ("self.known.add(x)", "self.known.remove(x)"),
    "queue": ("self.queue.append(x)", "self.queue.pop()"),
}
DOMAINS = {
    "eth.src": "00:00:00:00:00:09",
    "eth.dst": "00:00:00:00:00:01,00:00:00:00:00:02",
    "eth.type": "0x88b4,0x88b5",
}


def random_source(chance, attributes):
    """A program whose handler is nested conditions on the packet and on these attributes."""
    lines = []

    def block(depth, margin):
        for _ in range(chance.randint(1, 2)):
            condition = chance.choice([f"x == {chance.randint(1, 2)}", "y", *more(CONDITIONS)])
            if depth == 3 or chance.random() < 0.35:
                lines.append(margin + chance.choice(more(ACTIONS)))
            elif chance.random() < 0.2 and "table" in attributes:
                lines.append(f"{margin}for key, value in self.table.items():")
                lines.append(f"{margin}    if key {chance.choice(['==', '<'])} value:")
                lines.append(f"{margin}        net.messages.append")
            else:
                lines.append(f"{margin}if {condition}:")
                block(depth + 1, margin + "    ")
                if chance.random() < 0.5:
                    lines.append(f"{margin}else:")
                    block(depth + 1, margin + "    ")

    def more(texts):
        return [text for name in attributes for text in texts[name]]

    block(0, " " * 8)
    return HEAD + "\n".join(lines) + "\n"


def load(folder, source, name):
    """The class Random of a program text, as a program."""
    file = folder / f"{name}.py"
    file.write_text(source)
    spec = importlib.util.spec_from_file_location(name, file)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return PythonProgram(module.Random)


def ran(lines, events, file):
    raised = {(event.line, event.text.partition(":")[0]) for event in events if isinstance(event, HandlerRaised)}
    return {number for name, number in lines if name == file} | raised


def by_brute_force(pair, question, attributes, values):
    """Everything that some state and some packet lead to, in the program as it was written."""
    program, core = pair.original.program, pair.original.core
    (file,) = program.own_files
    found = set()
    for packet in listed_packets(question.skeleton):
        message = pair.original.packet_in(question.skeleton, 1, packet)
        for state in itertools.product(*(values[name] for name in attributes)):

            def change(holders, state=state):
                for name, value in zip(attributes, state, strict=True):
                    setattr(holders["Random"], name, type(value)(value) if value is not None else None)

            done, lines = line_trace(
                lambda message=message, change=change: program.run_changed(core, message, change), [file]
            )
            found |= ran(lines, done.events, file.name)
    return found


def by_exploration(pair, question, bounds, met=MET):
    """The same by concolic execution from a symbolic state; every pair found is run on the original, too."""
    program = pair.twin.program
    (file,) = program.own_files
    instance = program.kind()
    cores = [program._core(instance)]
    for name, value in met.items():
        setattr(instance, name, value)
    cores.append(program._core(instance))
    shape = learn_shape(program, cores, source_facts([file]), bounds)
    explorer = StateExplorer(program, program, shape, ConcolicOptions(ExplorationOptions(paths=5_000)))
    answer = explorer.explore(question)
    assert answer.gaps == ()
    assert answer.exploration.divergences == ()
    found = set()
    for one in answer.exploration.classes:
        assert one.exception is None
        trail = {(file.name, number) for _, number in one.trail}
        mine = ran(trail, one.output.handler_run.events, file.name)
        original = pair.original
        done, lines = line_trace(
            lambda one=one, original=original: run_in_state(
                original.program, original.core, explorer.states, question, one
            ),
            [file],
        )
        assert ran(lines, done.handler_run.events, file.name) == mine
        found |= mine
    return found


@pytest.mark.parametrize("seed", range(30))
def test_random_programs_lead_where_brute_force_over_states_and_packets_leads(seed, tmp_path):
    chance = random.Random(seed)
    attributes = chance.sample(sorted(VALUES), 3)
    pair = Pair.of(load(tmp_path, random_source(chance, attributes), f"random_state_{seed}"))
    question = pair.question("ethernet", 1, DOMAINS)
    bounds = StateBounds(entries=1, numbers=((0, 2),))
    assert by_exploration(pair, question, bounds) == by_brute_force(pair, question, attributes, VALUES)


@pytest.mark.parametrize("seed", range(30, 40))
def test_random_programs_with_two_entries_in_a_table(seed, tmp_path):
    chance = random.Random(seed)
    two = [dict(both) for both in itertools.permutations(PAIRS, 2) if both[0][0] != both[1][0]]
    last = "        if len(self.table) == 2 and self.table.get(x) == y:\n            self.table.clear()\n"
    source = random_source(chance, ["number", "table"]) + last
    pair = Pair.of(load(tmp_path, source, f"random_state_{seed}"))
    question = pair.question("ethernet", 1, DOMAINS)
    expected = by_brute_force(pair, question, ["number", "table"], {**VALUES, "table": (*VALUES["table"], *two)})
    assert by_exploration(pair, question, StateBounds(entries=2, numbers=((0, 2),))) == expected


RICH = """\
from collections import defaultdict, deque
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from sdnloom.network.packet import decode


class Phase(Enum):
    CLOSED = 1
    OPEN = 2


@dataclass
class Station:
    port: int
    address: str


class Pair(NamedTuple):
    src: int
    dst: int


class Random:
    def __init__(self):
        self.phase = Phase.CLOSED
        self.stations = {}
        self.pairs = {}
        self.counts = defaultdict(int)
        self.recent = deque(maxlen=1)
        self.secret = b"ab"
        self.gateway = "10.0.0.1"
        self.balance = -1
        self.config = {"limit": 2}

    def packet_in(self, net, switch, message):
        frame = decode(message.data).headers[0]
        kind = frame.type & 15
        if kind == 0 and self.phase is Phase.OPEN:
            self.phase = Phase.CLOSED
        elif kind == 1 and frame.dst in self.stations and self.stations[frame.dst].address == "10.0.0.77":
            self.stations[frame.dst] = Station(1, "10.0.0.2")
        elif kind == 2 and Pair(frame.src, frame.dst) in self.pairs:
            self.pairs[Pair(frame.src, frame.dst)] = (1, "a")
        elif kind == 3 and self.counts[frame.dst] == 1000:
            self.counts[frame.dst] = 0
        elif kind == 4 and len(self.recent) == 2:
            self.recent.append(1)
        elif kind == 5 and self.recent and self.recent[0] == frame.dst:
            self.recent.clear()
        elif kind == 6 and self.secret == b"zz":
            self.secret = b"ab"
        elif kind == 7 and self.gateway == "10.0.0.99":
            self.gateway = "10.0.0.1"
        elif kind == 8 and self.balance < -500:
            self.balance = self.extra = 0
        elif kind == 9 and hasattr(self, "extra") and self.extra == 5:
            del self.extra
        elif kind == 10 and self.config["limit"] == 3:
            self.phase = None
"""


def test_every_kind_of_attribute_is_generalised_and_configuration_is_not(tmp_path):
    program = load(tmp_path, RICH, "rich_state")
    pair = Pair.of(program)
    kinds = sys.modules["rich_state_symbolic"]
    met = {
        "stations": {7: kinds.Station(2, "10.0.0.3")},
        "pairs": {kinds.Pair(1, 2): (3, "b")},
        "counts": defaultdict(int, {4: 5}),
        "recent": deque([3], maxlen=1),
        "extra": 1,
    }
    question = pair.question("ethernet", 1, {"eth.src": "00:00:00:00:00:09", "eth.type": "0x88b0-0x88bf"})
    found = by_exploration(pair, question, StateBounds(entries=1), met)
    lines = RICH.splitlines()
    missed = [lines[number - 1].strip() for number in range(40, len(lines) + 1) if number not in found]
    assert missed == ["self.recent.append(1)", "self.phase = None"]
    assert [each for each in found if isinstance(each, tuple)] == []


def test_the_shape_of_a_state_says_what_it_assumes(tmp_path):
    program = load(tmp_path, RICH, "rich_shape")
    instance = program.kind()
    first = program._core(instance)
    instance.stations[7] = sys.modules["rich_shape"].Station(2, "10.0.0.3")
    instance.extra = 1
    shape = learn_shape(program, [first, program._core(instance)], source_facts(program.own_files), StateBounds(3))
    assert {str(attribute): shape_text(each) for attribute, each in shape.free} == {
        "Random.balance": "number -32,768 to 32,767",
        "Random.extra": "number 0 to 65,535",
        "Random.gateway": "IPv4 address",
        "Random.phase": "one of None, Phase.CLOSED, Phase.OPEN",
        "Random.secret": "2 bytes",
        "Random.stations": "dict with up to 3 entries (number 0 to 281,474,976,710,655 -> "
        "Station(address: IPv4 address, port: number 0 to 65,535))",
    }
    assert {str(attribute): why for attribute, why in shape.kept} == {
        "Random.config": "nothing writes it",
        "Random.counts": "it was empty in every state met",
        "Random.pairs": "it was empty in every state met",
        "Random.recent": "it was empty in every state met",
    }
    assert [str(each) for each in shape.optional] == ["Random.extra"]
    assert shape.states == 2


class Foreign:
    """An object of a class of another module than the program's."""


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2], "number 0 to 65,535"),
        ([70_000], "number 0 to 4,294,967,295"),
        ([True], "one of False, True"),
        ([None, "00:00:00:00:00:01"], "None or MAC address"),
        (["::1"], "IPv6 address"),
        (["b", "a", 1.5], "one of 1.5, 'a', 'b'"),
        ([(1, "x"), (2, "x")], "(number 0 to 65,535, 'x')"),
        ([{"a": [1]}], "dict with up to 1 entry ('a' -> list with up to 2 entries (number 0 to 65,535))"),
        ([{}, {"a": {}}], "dict with up to 1 entry ('a' -> empty dict, as no entry was met)"),
        ([Foreign()], "it holds a Foreign"),
        ([{1: Foreign()}], "it holds a Foreign"),
        ([{1: 2}, {3: lambda: None}], "it holds a function"),
        ([{(1, "a"): 2}], "dict with up to 2 entries ((number 0 to 281,474,976,710,655, 'a') -> number 0 to 65,535)"),
        ([{frozenset([1]): 2}], "its keys are containers or objects"),
    ],
)
def test_values_that_were_met_give_the_shape(values, expected):
    assert shape_text(shape_of([sketch(value, {}) for value in values], StateBounds())) == expected


def test_a_value_nested_too_deep_keeps_its_value():
    value = [1]
    for _ in range(10):
        value = [value]
    assert shape_text(shape_of([sketch(value, {})], StateBounds())) == "it holds a list"


class Holder:
    def __init__(self):
        self.one, self.two = 1, 2


def test_an_attribute_is_made_when_it_is_first_read_and_not_if_it_is_written_first():
    holder, made = Holder(), []
    pending = {name: lambda name=name: made.append(name) for name in ("one", "two")}
    with lazy_attributes(holder, pending):
        assert type(holder).__name__ == "Holder"
        assert isinstance(holder, Holder)
        holder.two = 3
        assert holder.two == 3
        assert made == []
        assert holder.one == 1
    assert made == ["one"]
    assert type(holder) is Holder


class Registered:
    def __init_subclass__(cls, *, name, **more):
        super().__init_subclass__(**more)


class Closed(Registered, name="closed"):
    one = 1


def test_where_no_subclass_can_be_made_all_attributes_are_made_at_once():
    holder, made = Closed(), []
    with lazy_attributes(holder, {"one": lambda: made.append("one")}):
        assert type(holder) is Closed
        assert made == ["one"]


def test_reading_the_dict_of_an_object_makes_all_its_attributes():
    holder, made = Holder(), []
    with lazy_attributes(holder, {name: lambda name=name: made.append(name) for name in ("one", "two")}):
        assert vars(holder) == {"one": 1, "two": 2}
    assert made == ["one", "two"]


def test_attributes_are_written_by_way_of_local_names_too(tmp_path):
    file = tmp_path / "written.py"
    file.write_text(
        """\
class App:
    def __init__(self):
        self.only_here = 1
    def handle(self, key):
        table = self.tables[key]
        table[1] = 2
        inner = table.get(3)
        inner.add(4)
        for row in self.rows:
            row.append(5)
        self.count += 1
        del self.gone[key]
        print(self.read[key], len(self.length))
"""
    )
    facts = source_facts([file])
    assert facts.written == {"tables", "rows", "count", "gone"}
    assert facts.own == {"only_here", "count"}
