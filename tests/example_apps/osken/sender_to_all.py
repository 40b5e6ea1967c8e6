"""Sends a barrier to every switch that it has ever known, whenever a packet arrives."""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import DEAD_DISPATCHER, MAIN_DISPATCHER, set_ev_cls


class SenderToAll(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.known, self.seen = [], []

    @set_ev_cls(ofp_event.EventOFPStateChange, [MAIN_DISPATCHER, DEAD_DISPATCHER])
    def changed(self, event):
        self.seen.append(f"{event.state} {event.datapath.id}")
        if event.state == MAIN_DISPATCHER:
            self.known.append(event.datapath)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet(self, event):
        for each in self.known:
            self.seen.append(f"sent {each.id} {each.send_barrier()}")
