"""A learning switch on the real packet library: from a table of two addresses, its packets fall into eleven classes."""

from itertools import product
from typing import Any

import pytest

from sdnloom.symbolic.execution import Execution
from sdnloom.symbolic.path_search import explore
from sdnloom.symbolic.result import Exploration
from sdnloom.symbolic.rewrite.imports import RewrittenModules
from sdnloom.symbolic.self_check import check_purity
from sdnloom.symbolic.shims import converters
from sdnloom.symbolic.terms.constructors import concat, const, var
from sdnloom.symbolic.terms.evaluate import evaluate_term
from sdnloom.symbolic.values.make import symbolic_bytes, symbolic_int

APP = """
from os_ken.lib.packet import ether_types, ethernet, packet

class Switch:
    def __init__(self):
        self.mac_to_port = {1: {"00:00:00:00:00:01": 1, "00:00:00:00:00:02": 2}}

    def parse(self, data):
        return packet.Packet(data).get_protocols(ethernet.ethernet)[0]

    def packet_in(self, dpid, in_port, eth):
        if eth.ethertype == ether_types.ETH_TYPE_LLDP:
            return "ignored"
        table = self.mac_to_port.setdefault(dpid, {})
        table[eth.src] = in_port
        if eth.dst in self.mac_to_port[dpid]:
            out = self.mac_to_port[dpid][eth.dst]
        else:
            out = "flood"
        return len(table), out
"""
DST, SRC, TYPE = var("dst", 48, "mac"), var("src", 48, "mac"), var("type", 16, "hex")


def load() -> Any:
    """Return the app, rewritten with the packet library, whose address converters follow symbolic values."""
    from os_ken.lib import addrconv

    world = RewrittenModules(lambda name: name.startswith("os_ken.lib.packet"))
    app = world.run(APP, "app.py")
    for name in ("ethernet", "arp", "ipv4", "ipv6"):
        module = world.load(f"os_ken.lib.packet.{name}")
        copy = type(addrconv)("addrconv")
        vars(copy).update(vars(addrconv), **converters(addrconv))
        module.addrconv = copy
    return app


def runs(app: Any) -> Any:
    def run(execution: Execution) -> Any:
        values = [execution.value(name) for name in ("dst", "src", "type")]
        data = values[0].to_bytes(6, "big") + values[1].to_bytes(6, "big") + values[2].to_bytes(2, "big") + bytes(46)
        switch = app.Switch()
        with execution.unrecorded():
            eth = switch.parse(symbolic_bytes(data, concat(DST, SRC, TYPE, const(0, 8 * 46))))
        return switch.packet_in(1, 3, eth)

    return run


def explored(run: Any) -> Exploration:
    return explore(run, [DST, SRC, TYPE], initial={"dst": 1, "src": 2, "type": 0x0800})


@pytest.mark.slow
def test_learning_switch_has_eleven_classes() -> None:
    found = explored(runs(load()))
    assert found.complete, found.reasons
    assert found.concretised == ()
    assert found.divergences == ()
    assert len(found.classes) == 11


def test_classes_of_the_learning_switch_are_pure() -> None:
    run = runs(load())
    purity = check_purity(explored(run), run, 20)
    assert purity.impure == ()
    assert purity.models >= 11


def test_every_role_of_addresses_is_in_one_class() -> None:
    found = explored(runs(load()))
    hit = set()
    for dst, src, kind in product((1, 2, 3, 4), (1, 2, 3, 4), (0x0800, 0x88CC)):
        model = {"dst": dst, "src": src, "type": kind}
        matching = [n for n, each in enumerate(found.classes) if all(evaluate_term(c, model) for c in each.condition)]
        assert len(matching) == 1
        hit.add(matching[0])
    assert len(hit) == 11


def test_a_number_of_a_field_stays_symbolic_through_arithmetic() -> None:
    world = RewrittenModules(lambda name: False)
    app = world.run("def f(v): return (v >> 12, v & 0xfff, (v & 0xfff) in {1: 'a', 100: 'b'})", "vlan.py")
    found = explore(lambda execution: app.f(symbolic_int(execution.value("v"), var("v", 16))), [var("v", 16)])
    assert found.complete
    assert len(found.classes) == 3
