"""Sends a packet through one of three ports, by chance, and tosses a coin for another."""

import random

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls


class Chooser(app_manager.OSKenApp):
    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        datapath = ev.msg.datapath
        ports = [random.choice([1, 2, 3])]
        if ports == [3]:
            ports.append(10 + random.randrange(2))
        actions = [datapath.ofproto_parser.OFPActionOutput(port) for port in ports]
        datapath.send_msg(datapath.ofproto_parser.OFPPacketOut(datapath, 0xFFFFFFFF, 1, actions, ev.msg.data))
