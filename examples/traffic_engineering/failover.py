"""Traffic engineering that survives the failure of a link: flows over it are forgotten, and new ones go around it."""

import itertools

from engineering import ALWAYS_ON, LINKS, ON_DEMAND, TrafficEngineering
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls


class Failover(TrafficEngineering):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.broken = set()  # (switch, port)

    @set_ev_cls(ofp_event.EventOFPPortStatus, MAIN_DISPATCHER)
    def port_status(self, event):
        datapath, port = event.msg.datapath, event.msg.desc
        if port.state & datapath.ofproto.OFPPS_LINK_DOWN:
            self.broken.add((datapath.id, port.port_no))
            for flow, path in sorted(self.paths.items()):
                if not self.works(path):
                    self.forget(flow, path)
        else:
            self.broken.discard((datapath.id, port.port_no))

    def works(self, path):
        hops = list(itertools.pairwise(path))
        ends = {(one, LINKS[one, other]) for one, other in hops} | {(other, LINKS[other, one]) for one, other in hops}
        return not ends & self.broken

    def forget(self, flow, path):
        """Without a rule at the first switch the next packet comes to the controller, which finds another path."""
        datapath = self.datapaths[path[0]]
        parser = datapath.ofproto_parser
        match = parser.OFPMatch(dl_src=flow[0], dl_dst=flow[1])
        datapath.send_msg(parser.OFPFlowMod(datapath, match, command=datapath.ofproto.OFPFC_DELETE))
        del self.paths[flow]

    def choose(self, first, last):
        path = super().choose(first, last)
        others = [table[first, last] for table in (ALWAYS_ON, ON_DEMAND) if first != last]
        return next((each for each in (path, *others) if self.works(each)), path)
