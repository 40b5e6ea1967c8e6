"""BUG-III corrected: packets are flooded along a spanning tree of the ring of three switches."""

from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, set_ev_cls
from pyswitch import PySwitch

LINKS = ((1, 2, 2, 2), (1, 3, 3, 3), (2, 3, 3, 2))  # switch, port, switch, port


def closed_ends(links):
    """Return the ends of the links that are not part of a spanning tree: those that close a cycle."""
    trees, closed = {}, set()
    for one, one_port, other, other_port in sorted(links):
        here, there = trees.setdefault(one, {one}), trees.setdefault(other, {other})
        if here is there:
            closed |= {(one, one_port), (other, other_port)}
        else:
            here |= there
            trees.update(dict.fromkeys(there, here))
    return closed


class SpanningTree(PySwitch):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.open = {}  # switch -> ports that packets are flooded out of

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def ports_known(self, event):
        datapath, closed = event.msg.datapath, closed_ends(LINKS)
        self.open[datapath.id] = sorted(port for port in event.msg.ports if (datapath.id, port) not in closed)

    def flood(self, message):
        self.packet_out(message, [port for port in self.open[message.datapath.id] if port != message.in_port])
