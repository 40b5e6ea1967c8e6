"""Footprints of NOX handlers, compared with running the handlers in both orders."""

import functools
import itertools

import pytest

from sdnloom.engine.reduction.place_classes import meet
from sdnloom.network.openflow import PortDesc
from sdnloom.network.program import SwitchUp
from sdnloom.network.program_cells import Attribute, Key, Order, conflict
from sdnloom.platforms.footprint.state_cells import REST
from tests.platforms.nox.helpers import frame, give, packet_in, program

APP = """
import collections

class App(Component):
    def __init__(self, ctxt):
        Component.__init__(self, ctxt)
        self.table, self.lists, self.count = {1: 1}, collections.defaultdict(list), 0
        self.look = lambda: self.table.get(1, 9)

    def install(self):
        self.register_for_packet_in(self.came)

    def came(self, dpid, inport, reason, length, bufid, packet):
        [self.write, self.tell, self.size, self.append, self.add, self.later, self.ask][inport](dpid)

    def say(self, dpid, number):
        self.send_openflow(dpid, None, b"data" * 4, number, 1)

    def write(self, dpid):
        self.table[dpid] = 5

    def tell(self, dpid):
        self.say(dpid, self.look())

    def size(self, dpid):
        self.say(dpid, len(self.table))

    def append(self, dpid):
        self.lists[dpid].append(1)

    def add(self, dpid):
        self.count += 1

    def later(self, dpid):
        self.post_callback(dpid, lambda: self.table.clear())

    def ask(self, dpid):
        self.say(dpid, 1 + len(self.lists[2]))
"""
TABLE = Attribute("app.table")
TOUCHED = [  # by port: what a packet at the second switch makes the app look at and change, beside the rest
    (set(), {Key("app.table", 2), Order("app.table")}),
    ({Key("app.table", 1)}, set()),
    ({TABLE}, set()),
    (set(), {Key("app.lists", 2), Order("app.lists")}),
    (set(), {REST}),
    (set(), {REST}),
    (set(), {Key("app.lists", 2), Order("app.lists")}),
]


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    return program(tmp_path_factory.mktemp("nox"), APP)


@pytest.fixture(scope="module")
def start(app):
    ports = PortDesc(1, 0x0A01, "eth1"), PortDesc(2, 0x0A02, "eth2")
    return give(app, *(SwitchUp(f"s{number}", number, ports) for number in (1, 2))).core


def coming(port, switch):
    return packet_in(frame(), port=port, switch=switch)


@pytest.mark.parametrize("port", range(len(TOUCHED)))
def test_looks_and_changes_are_found_part_by_part(app, start, port):
    given, (reads, writes) = coming(port, "s2"), TOUCHED[port]
    looked, changed = app.footprint(start, given, app.handle(start, given))
    assert changed == writes
    assert looked == reads | writes | {REST}


def test_handlers_that_meet_in_no_part_commute(app, start):
    handle = functools.cache(lambda core, given: app.handle(core, given)[0])
    apart = 0
    for ports in itertools.product(range(len(TOUCHED)), repeat=2):
        inputs = [coming(port, switch) for port, switch in zip(ports, ("s1", "s2"), strict=True)]
        (reads, writes), (looked, changed) = (app.footprint(start, each, [handle(start, each)]) for each in inputs)
        if meet(writes, looked, conflict) or meet(changed, reads, conflict):
            continue
        apart += 1
        ends = []
        for first, second in itertools.permutations(inputs):
            done = handle(start, first)
            after = handle(done.core, second)
            ends.append((after.core, {first.switch: done.messages, second.switch: after.messages}))
        assert ends[0] == ends[1], ports
    assert apart > 15


def test_attributes_need_not_have_names(tmp_path):
    odd = program(tmp_path, APP.replace("self.look =", "vars(self)[5] = {}; self.look ="))
    core = give(odd, SwitchUp("s1", 1, ())).core
    given = coming(4, "s1")
    assert odd.footprint(core, given, odd.handle(core, given))[1] == {REST}
