"""Cost of capturing the state of a program: snapshot, restore and digest, beside a call of its handler."""

import argparse
import statistics
import sys
import timeit
import types
from collections.abc import Callable

from benchmarks.report import Report
from sdnloom.platforms.capture.digest import digest
from sdnloom.platforms.capture.roots import Roots
from sdnloom.platforms.capture.snapshot import Scope, require, restore_snapshot, take_snapshot
from sdnloom.platforms.sandbox.hub import Hub

# A MAC-learning switch as it is written for os-ken, without the framework's base class.
LEARNING = """
from os_ken.lib.packet import ether_types, ethernet, packet
from os_ken.ofproto import ofproto_v1_3, ofproto_v1_3_parser

class LearningSwitch:
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self):
        self.mac_to_port = {}

    def packet_in(self, datapath, data, in_port):
        ofproto, parser = ofproto_v1_3, ofproto_v1_3_parser
        frame = packet.Packet(data).get_protocols(ethernet.ethernet)[0]
        if frame.ethertype == ether_types.ETH_TYPE_LLDP:
            return
        ports = self.mac_to_port.setdefault(datapath.id, {})
        ports[frame.src] = in_port
        out_port = ports.get(frame.dst, ofproto.OFPP_FLOOD)
        actions = [parser.OFPActionOutput(out_port)]
        if out_port != ofproto.OFPP_FLOOD:
            match = parser.OFPMatch(in_port=in_port, eth_dst=frame.dst, eth_src=frame.src)
            apply = [parser.OFPInstructionActions(ofproto.OFPIT_APPLY_ACTIONS, actions)]
            datapath.send(parser.OFPFlowMod(datapath=datapath, priority=1, match=match, instructions=apply))
        datapath.send(parser.OFPPacketOut(datapath=datapath, buffer_id=ofproto.OFP_NO_BUFFER, in_port=in_port,
                                          actions=actions, data=data))
"""


class Datapath:
    """Takes messages and serialises them, as os-ken's does before it sends them."""

    id = 1

    def __init__(self) -> None:
        from os_ken.ofproto import ofproto_v1_3, ofproto_v1_3_parser

        self.ofproto, self.ofproto_parser = ofproto_v1_3, ofproto_v1_3_parser

    def send(self, message) -> None:
        message.set_xid(1)
        message.serialize()


class Record:
    def __init__(self, n: int) -> None:
        self.n, self.names, self.seen = n, [f"h{n}", f"s{n}"], {n, n + 1}


def learning_switch() -> tuple[Roots, Callable[[], None]]:
    """Return the roots of a switch that knows two hosts on two switches, and a call of its handler."""
    module = types.ModuleType("learning_switch")
    sys.modules[module.__name__] = module
    exec(LEARNING, vars(module))
    app, datapath = module.LearningSwitch(), Datapath()
    scope = Scope({module.__name__}, {"datapath": datapath})
    roots = Roots(scope, {"app": app, "hub": Hub()}, [module], framework={"OFP_VERSIONS"})
    hosts = bytes.fromhex("000000000001"), bytes.fromhex("000000000002")
    rest = bytes.fromhex("88b5") + bytes(46)  # an EtherType for experiments
    frame, back = hosts[1] + hosts[0] + rest, hosts[0] + hosts[1] + rest

    def handle() -> None:
        app.packet_in(datapath, frame, 1)

    app.packet_in(datapath, back, 2)
    handle()
    app.mac_to_port[2] = dict(app.mac_to_port[1])
    return roots, handle


def records(count: int) -> Roots:
    """Return the roots of a program with many small objects."""
    return Roots(Scope(), {"records": {n: Record(n) for n in range(count)}}, [])


def microseconds(function: Callable[[], object], calls: int) -> float:
    """Return the median time of a call."""
    return statistics.median(timeit.repeat(function, number=calls, repeat=7)) / calls * 1e6


def run(quick: bool, arguments: list[str]) -> Report:
    """Return the report; quick means fewer calls."""
    argparse.ArgumentParser(prog="python -m benchmarks snapshots", description=__doc__).parse_args(arguments)
    calls = 20 if quick else 300
    report = Report("snapshots")
    rows = report.table(
        "microseconds, median of seven", "program", "copies", "take", "restore", "digest", "all three", "handler"
    )
    roots, handle = learning_switch()
    cases: list[tuple[str, Roots, Callable[[], None] | None]] = [
        ("learning switch", roots, handle),
        ("60 objects with list and set", records(60), None),
    ]
    for name, each, handler in cases:
        values, scope = each.values, each.scope
        snapshot = require(take_snapshot(values, scope))
        costs = [
            microseconds(lambda: take_snapshot(values, scope), calls),  # noqa: B023
            microseconds(lambda: restore_snapshot(snapshot), calls),  # noqa: B023
            microseconds(lambda: digest(values, scope), calls),  # noqa: B023
        ]
        handled = None if handler is None else microseconds(handler, calls)
        rows.add(name, snapshot.size, *costs, sum(costs), handled)
        if handled is not None:
            report.floor("capturing the learning switch, in calls of its handler", sum(costs) / handled, "<", 1)
    return report
