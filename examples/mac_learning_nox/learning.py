"""A MAC-learning switch for the NOX controller, after figure 3 of the NICE paper.

Its defects are the published ones (section 9.1): a host that moves stays unreachable (BUG-I), the direct path comes too
late (BUG-II), and packets go round for ever where the network has a cycle (BUG-III). The files beside this one mend one
defect each. Nothing here knows of sdnloom: these are apps as NOX runs them, in Python 3.
"""

from nox.coreapps.pyrt.pycomponent import CONTINUE
from nox.lib.core import DL_DST, DL_SRC, DL_TYPE, IN_PORT, Component
from nox.lib.openflow import OFP_FLOW_PERMANENT, OFPAT_OUTPUT, OFPP_FLOOD
from nox.lib.packet.packet_utils import mac_to_int

IDLE_TIMEOUT = 5


def is_group(address):
    return mac_to_int(address) >> 40 & 1


class Learning(Component):
    """Learns the port of each address, and installs a rule for a packet whose destination it knows."""

    def __init__(self, ctxt):
        Component.__init__(self, ctxt)
        self.ports = {}  # switch -> address -> port

    def install(self):
        self.register_for_datapath_join(self.switch_joined)
        self.register_for_datapath_leave(self.switch_left)
        self.register_for_packet_in(self.packet_came)

    def getInterface(self):  # noqa: N802 (NOX's name)
        return str(Learning)

    def switch_joined(self, dpid, features):
        self.ports[dpid] = {}
        return CONTINUE

    def switch_left(self, dpid):
        self.ports.pop(dpid, None)
        return CONTINUE

    def packet_came(self, dpid, inport, reason, length, buffer_id, packet):
        if not is_group(packet.src):
            self.learn(dpid, mac_to_int(packet.src), inport)
        out = self.ports[dpid].get(mac_to_int(packet.dst))
        if is_group(packet.dst) or out is None or out == inport:
            self.flood(dpid, inport, buffer_id, packet)
        else:
            self.forward(dpid, inport, out, buffer_id, packet)
        return CONTINUE

    def learn(self, dpid, address, port):
        self.ports[dpid][address] = port

    def flood(self, dpid, inport, buffer_id, packet):
        self.send_openflow(dpid, buffer_id, packet.arr, OFPP_FLOOD, inport)

    def forward(self, dpid, inport, out, buffer_id, packet):
        flow = {IN_PORT: inport, DL_SRC: packet.src, DL_DST: packet.dst, DL_TYPE: packet.type}
        actions = [[OFPAT_OUTPUT, [0, out]]]
        self.install_datapath_flow(
            dpid,
            flow,
            IDLE_TIMEOUT,
            OFP_FLOW_PERMANENT,
            actions,
            buffer_id=buffer_id,
            inport=inport,
            packet=packet.arr,
        )


def getFactory():  # noqa: N802 (NOX's name)
    class Factory:
        def instance(self, ctxt):
            return Learning(ctxt)

    return Factory()
