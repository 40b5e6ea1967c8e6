"""Asks another app for something, and tells it things: events and requests between apps."""

import counter
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls


class Teller(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.heard = []

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        answer = self.send_request(counter.CountRequest(len(ev.msg.data)))
        self.heard.append(f"count {answer.count}")
        self.send_event("Counter", counter.Reset())

    @set_ev_cls(counter.WasReset)
    def reset(self, ev):
        self.heard.append("was reset")
