"""The same app is the same each time: loaded again, and each state restored by its steps, in any order."""

import random

import pytest

from sdnloom.check.load import app_scenario
from sdnloom.check.run import Run
from sdnloom.engine.semantics import Semantics

HEAD = """
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib import hub
from os_ken.ofproto import ofproto_v1_3
from os_ken.topology import event

class _Base(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]
    datapaths = None

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def features(self, ev):
        datapath = ev.msg.datapath
        parser, ofproto = datapath.ofproto_parser, datapath.ofproto
        out = [parser.OFPActionOutput(ofproto.OFPP_CONTROLLER, ofproto.OFPCML_NO_BUFFER)]
        rule = [parser.OFPInstructionActions(ofproto.OFPIT_APPLY_ACTIONS, out)]
        datapath.send_msg(parser.OFPFlowMod(datapath, priority=0, match=parser.OFPMatch(), instructions=rule))

    def flood(self, message):
        parser, ofproto = message.datapath.ofproto_parser, message.datapath.ofproto
        message.datapath.send_msg(parser.OFPPacketOut(
            message.datapath, message.buffer_id, message.match["in_port"],
            [parser.OFPActionOutput(ofproto.OFPP_FLOOD)], message.data))
"""
# A loop that asks for statistics, with sets of objects and variables that are bound at different times.
MONITOR = """
class Monitor(_Base):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.joined, self.rates = set(), {}
        hub.spawn(self.watch)

    def watch(self):
        turn = 0
        while True:
            if turn:
                asked = [datapath.id for datapath in self.joined]
            for datapath in list(self.joined):
                parser = datapath.ofproto_parser
                datapath.send_msg(parser.OFPPortStatsRequest(datapath, 0, datapath.ofproto.OFPP_ANY))
            turn += 1
            hub.sleep(1)

    @set_ev_cls(ofp_event.EventOFPStateChange, MAIN_DISPATCHER)
    def joins(self, ev):
        self.joined.add(ev.datapath)

    @set_ev_cls(ofp_event.EventOFPPortStatsReply, MAIN_DISPATCHER)
    def statistics(self, ev):
        for row in ev.msg.body:
            self.rates.setdefault(ev.msg.datapath.id, {})[row.port_no] = row.rx_packets

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        self.flood(ev.msg)
"""
# A handler that waits, a thread for each packet, and a timer.
WAITER = """
class Waiter(_Base):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.waiting, self.locks = {}, [hub.Semaphore(1)]

    def later(self, message, number):
        with self.locks[0]:
            self.waiting[number] = hub.getcurrent() is None
            hub.sleep(2)
        self.flood(message)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        hub.spawn(self.later, ev.msg, len(self.waiting))
        hub.spawn_after(1, self.waiting.clear)
"""
# os-ken's own discovery of links, whose threads wait inside of calls with many variables.
LINKS = """
class Links(_Base):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.links = []

    @set_ev_cls(event.EventLinkAdd)
    def added(self, ev):
        self.links.append((ev.link.src.dpid, ev.link.dst.dpid))

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        if ev.msg.data[12:14] != b"\\x88\\xcc":
            self.flood(ev.msg)
"""
APPS = {
    "monitor": (MONITOR, {"ticks": 3}),
    "waiter": (WAITER, {"ticks": 3}),
    "links": (LINKS, {"observe_links": True, "ticks": 1}),
}


def walks(run, count, length):
    """The states of random walks, and of the same walks in another order, which restores states by their steps."""
    semantics = Semantics(run.system)
    paths = []
    for seed in range(count):
        chance, states = random.Random(seed), [semantics.initial()]
        for _ in range(length):
            following = list(semantics.transitions(states[-1]))
            if not following:
                break
            states.append(chance.choice(following).state)
        paths.append(states)
    for states in reversed(paths):
        for state, after in zip(states[-2::-1], states[:0:-1], strict=True):
            assert after in [transition.state for transition in semantics.transitions(state)]
    return paths


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("name", APPS)
@pytest.mark.parametrize("loads", [2, pytest.param(6, marks=pytest.mark.slow)])
def test_an_app_is_the_same_whenever_it_is_loaded_and_its_states_are_restored(tmp_path, name, ordered, loads):
    text, options = APPS[name]
    file = tmp_path / f"{name}.py"
    file.write_text(HEAD + text)
    scenario = app_scenario(file, topology="linear,2", pings=["h1,h2,1"], build=False, **options)
    run = Run(scenario, ordered=ordered)
    assert run.program.name == name.capitalize()
    expected = walks(run, 2, 8)
    assert run.program.capture.startswith("snapshot" if name == "monitor" else "replay: thread")
    for _ in range(loads - 1):
        assert walks(Run(scenario, ordered=ordered), 1, 8) == expected[:1]
