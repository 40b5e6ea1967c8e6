"""Writes down which event came in which phase of a connection."""

from os_ken.base import app_manager
from os_ken.controller import dpset, ofp_event
from os_ken.controller.handler import (
    CONFIG_DISPATCHER,
    DEAD_DISPATCHER,
    HANDSHAKE_DISPATCHER,
    MAIN_DISPATCHER,
    set_ev_cls,
)


class Phases(app_manager.OSKenApp):
    _CONTEXTS = {"dpset": dpset.DPSet}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.dpset = kwargs["dpset"]
        self.seen = []

    @set_ev_cls(ofp_event.EventOFPHello, HANDSHAKE_DISPATCHER)
    def hello(self, ev):
        self.seen.append("hello")

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def features(self, ev):
        self.seen.append(f"features {ev.msg.datapath_id} {ev.msg.n_tables}")

    @set_ev_cls(ofp_event.EventOFPPortDescStatsReply, MAIN_DISPATCHER)
    def ports_in_main(self, ev):
        self.seen.append("never: the handshake's reply comes before")

    @set_ev_cls(ofp_event.EventOFPStateChange, [MAIN_DISPATCHER, DEAD_DISPATCHER])
    def change(self, ev):
        self.seen.append(f"{ev.state} {sorted(ev.datapath.ports)}")

    @set_ev_cls(dpset.EventDP)
    def switch(self, ev):
        self.seen.append(f"{'enter' if ev.enter else 'leave'} {ev.dp.id} {len(ev.ports)} {len(self.dpset.get_all())}")

    @set_ev_cls(ofp_event.EventOFPPortStatus, MAIN_DISPATCHER)
    def port(self, ev):
        self.seen.append(f"port {ev.msg.desc.port_no} {ev.msg.desc.name.decode().strip(chr(0))}")

    @set_ev_cls(ofp_event.EventOFPPacketIn)
    def packet_in(self, ev):
        self.seen.append(f"packet {len(ev.msg.data)} {ev.msg.xid}")
