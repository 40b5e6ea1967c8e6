"""Corrects BUG-III: packets are flooded along a spanning tree.

Its arguments are the ends of links that are left out, as "switch:port", for example "2:3" and "3:2".
"""

from learning import Learning
from nox.lib.core import PORT_NO, PORTS
from nox.lib.openflow import OFPAT_OUTPUT


class SpanningTree(Learning):
    def __init__(self, ctxt):
        Learning.__init__(self, ctxt)
        self.closed = set()
        self.open = {}  # switch -> ports that packets are flooded out of

    def configure(self, config):
        for argument in config["arguments"]:
            dpid, port = argument.split(":")
            self.closed.add((int(dpid), int(port)))

    def switch_joined(self, dpid, features):
        Learning.switch_joined(self, dpid, features)
        ports = [port[PORT_NO] for port in features[PORTS]]
        self.open[dpid] = [port for port in ports if (dpid, port) not in self.closed]

    def flood(self, dpid, inport, buffer_id, packet):
        actions = [[OFPAT_OUTPUT, [0, port]] for port in self.open[dpid] if port != inport]
        self.send_openflow(dpid, buffer_id, packet.arr, actions, inport)


def getFactory():  # noqa: N802 (NOX's name)
    class Factory:
        def instance(self, ctxt):
            return SpanningTree(ctxt)

    return Factory()
