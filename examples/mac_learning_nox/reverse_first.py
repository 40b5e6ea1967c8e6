"""Corrects BUG-II: the reverse rule is installed before the packet is sent."""

from learning import IDLE_TIMEOUT, Learning
from nox.lib.core import DL_DST, DL_SRC, DL_TYPE, IN_PORT
from nox.lib.openflow import OFP_FLOW_PERMANENT, OFPAT_OUTPUT


class ReverseFirst(Learning):
    def forward(self, dpid, inport, out, buffer_id, packet):
        back = {IN_PORT: out, DL_SRC: packet.dst, DL_DST: packet.src, DL_TYPE: packet.type}
        self.install_datapath_flow(dpid, back, IDLE_TIMEOUT, OFP_FLOW_PERMANENT, [[OFPAT_OUTPUT, [0, inport]]])
        Learning.forward(self, dpid, inport, out, buffer_id, packet)


def getFactory():  # noqa: N802 (NOX's name)
    class Factory:
        def instance(self, ctxt):
            return ReverseFirst(ctxt)

    return Factory()
