"""Floods every packet, one second after it has come: the app sleeps in its handler."""

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.lib import hub
from os_ken.ofproto import ofproto_v1_0


class DelayedSwitch(app_manager.OSKenApp):
    OFP_VERSIONS = (ofproto_v1_0.OFP_VERSION,)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, event):
        message = event.msg
        parser, protocol = message.datapath.ofproto_parser, message.datapath.ofproto
        hub.sleep(1)
        packet = parser.OFPPacketOut(
            datapath=message.datapath,
            buffer_id=message.buffer_id,
            in_port=message.in_port,
            actions=[parser.OFPActionOutput(protocol.OFPP_FLOOD)],
            data=message.data if message.buffer_id == protocol.OFP_NO_BUFFER else None,
        )
        message.datapath.send_msg(packet)
