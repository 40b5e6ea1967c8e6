"""Waits: in a handler, in threads of its own, and in a loop that asks for statistics."""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.lib import hub


class Sleeper(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.log = []
        self.datapaths = {}
        self.poller = hub.spawn(self.poll)

    def poll(self):
        while True:
            hub.sleep(10)
            for datapath in self.datapaths.values():
                datapath.send_msg(datapath.ofproto_parser.OFPBarrierRequest(datapath))

    @set_ev_cls(ofp_event.EventOFPStateChange, MAIN_DISPATCHER)
    def joined(self, ev):
        self.datapaths[ev.datapath.id] = ev.datapath

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        size = len(ev.msg.data)
        self.log.append(f"begin {size}")
        if size == 60:
            hub.sleep(3)
        elif size == 61:
            for name in ("a", "b"):
                hub.spawn(self.work, name)
        self.log.append(f"end {size}")

    def work(self, name):
        self.log.append(name)
        for datapath in self.datapaths.values():
            out = datapath.ofproto_parser.OFPActionOutput(ord(name))
            datapath.send_msg(datapath.ofproto_parser.OFPPacketOut(datapath, 0xFFFFFFFF, 1, [out], b"x" * 60))
