"""Chooses ports by iterators that nobody can copy, in a module, a class and an attribute; forgets who is gone."""

import itertools
import weakref

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import DEAD_DISPATCHER, MAIN_DISPATCHER, set_ev_cls

PAIRS = zip(itertools.repeat("pair"), map(abs, itertools.count(-5)), strict=False)


class Cycling(app_manager.OSKenApp):
    sizes = (size for size in itertools.cycle([1, 2]))

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.ports = itertools.cycle([1, 2, 3])
        self.datapaths = weakref.WeakValueDictionary()

    @set_ev_cls(ofp_event.EventOFPStateChange, [MAIN_DISPATCHER, DEAD_DISPATCHER])
    def change(self, ev):
        if ev.state == MAIN_DISPATCHER:
            self.datapaths[ev.datapath.id] = ev.datapath

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        datapath = ev.msg.datapath
        port = next(self.ports) + next(PAIRS)[1] * next(self.sizes)
        out = datapath.ofproto_parser.OFPActionOutput(1 + port % 2)
        data = ev.msg.data if ev.msg.buffer_id == datapath.ofproto.OFP_NO_BUFFER else None
        datapath.send_msg(datapath.ofproto_parser.OFPPacketOut(datapath, ev.msg.buffer_id, 1, [out], data))
