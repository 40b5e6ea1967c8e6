"""Keeps the names of switches by os-ken's topology service: its events, its requests, and an ofctl request."""

from os_ken.app.ofctl import api as ofctl_api
from os_ken.base import app_manager
from os_ken.controller import dpset, ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.ofproto import ofproto_v1_3
from os_ken.topology import event
from os_ken.topology.api import get_switch


class Mapper(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]
    _CONTEXTS = {"dpset": dpset.DPSet}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.entered, self.known, self.found = [], [], 0

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def features(self, ev):
        datapath = ev.msg.datapath
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        actions = [parser.OFPActionOutput(proto.OFPP_CONTROLLER)]
        todo = [parser.OFPInstructionActions(proto.OFPIT_APPLY_ACTIONS, actions)]
        datapath.send_msg(parser.OFPFlowMod(datapath=datapath, priority=0, instructions=todo))

    @set_ev_cls(event.EventSwitchEnter)
    def entered_switch(self, ev):
        self.entered.append(ev.switch.dp.id)
        self.known = sorted(each.dp.id for each in get_switch(self))

    @set_ev_cls(event.EventLinkAdd)
    def new_link(self, ev):
        self.entered.append(str(ev.link))

    @set_ev_cls(dpset.EventDP)
    def datapath_changed(self, ev):
        self.found += 1

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        datapath = ofctl_api.get_datapath(self, ev.msg.datapath.id)
        parser, proto = datapath.ofproto_parser, datapath.ofproto
        flood = [parser.OFPActionOutput(proto.OFPP_FLOOD)]
        kept = ev.msg.buffer_id
        datapath.send_msg(
            parser.OFPPacketOut(
                datapath=datapath,
                buffer_id=kept,
                in_port=ev.msg.match["in_port"],
                actions=flood,
                data=ev.msg.data if kept == proto.OFP_NO_BUFFER else None,
            )
        )
