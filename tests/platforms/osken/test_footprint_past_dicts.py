"""Reads that bypass the methods of a dict are recorded, or the footprint is unknown."""

import textwrap

import pytest

from sdnloom.engine.reduction.place_classes import meet
from sdnloom.network.program_cells import Key, Order, conflict
from tests.platforms.osken.helpers import joined, packet, program, run

APP = """
import copy
import itertools
import json
from collections import defaultdict

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.ofproto import ofproto_v1_0


class App(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_0.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.table, self.other, self.told = dict(), dict(), dict()
{setup}

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        switch = ev.msg.datapath.id
        if ev.msg.data == b"1":
{one}
        else:
{two}
"""
WRITE = "self.table[5] = 1"


@pytest.mark.parametrize(
    ("setup", "one", "two"),
    [
        ("", WRITE, "self.told[switch] = json.dumps(self.table)"),
        ("", WRITE, "self.told[switch] = self.other == self.table"),
        ("", WRITE, "self.told[switch] = self.other != self.table"),
        ("", WRITE, "self.told[switch] = dict(self.other, **{str(key): 1 for key in self.table})"),
        ("", WRITE, "self.other |= self.table"),
        ("", WRITE, "self.told[switch] = copy.copy(self.table)"),
        ("", WRITE, "self.told[switch] = copy.deepcopy(self.table)"),
        ("self.table = defaultdict(int)", "self.table[5] += 1", "self.told[switch] = self.table.copy()[5]"),
        ("self.table = defaultdict(int)", "self.table[5] += 1", "self.told[switch] = copy.copy(self.table)[5]"),
        ("self.table = {5: 0}", WRITE, "self.told[switch] = dict.__getitem__(self.table, 5)"),
        ("look = self.look = self.table.get", WRITE, "self.told[switch] = self.look(5)"),
        (
            "number = itertools.count(); self.table = defaultdict(lambda: next(number))",
            "self.table[1]",
            "self.table[2]",
        ),
        (
            "made = []; self.table = defaultdict(lambda: (made.append(1), len(made)))",
            "self.table[1]",
            "self.table[2]",
        ),
        ("self.table = {1: 1}", "self.table = defaultdict(None, self.table)", "self.told[switch] = repr(self.table)"),
    ],
)
def test_handlers_whose_order_matters_meet(tmp_path, setup, one, two):
    app = _app(tmp_path, setup, one, two)
    core = run(app, joined(1), joined(2))[-1].core
    inputs = packet(b"1", 1), packet(b"2", 2)
    ends = {run(app, *order, core=core)[-1].core for order in (inputs, inputs[::-1])}
    assert len(ends) == 2
    found = [app.footprint(core, given, app.handle(core, given)) for given in inputs]
    if None not in found:
        (reads, writes), (looked, changed) = found
        assert meet(writes, looked, conflict) or meet(changed, reads, conflict)


def test_a_key_that_is_put_after_the_others_changes_their_order(tmp_path):
    app = _app(tmp_path, "self.table = {1: 1, 2: 2}", "self.table[1] = self.table.pop(1)", "self.table.pop(1)")
    core = run(app, joined(1))[-1].core
    moved, removed = (app.footprint(core, given, app.handle(core, given)) for given in (packet(b"1"), packet(b"2")))
    assert moved[1] == {Order("App.table")}
    assert removed[1] == {Key("App.table", 1)}


def _app(folder, setup, one, two):
    text = APP.format(setup=_indented(setup, 8), one=_indented(one, 12), two=_indented(two, 12))
    (folder / "app.py").write_text(text)
    return program(folder / "app")


def _indented(code, width):
    return textwrap.indent(code or "pass", " " * width)
