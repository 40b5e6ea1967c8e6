"""Another correction of BUG-XI: no packet leaves the first switch before the others have confirmed their rules.

So none can overtake a rule, and packets on the way may be ignored as before.
"""

from bug11 import IgnoresTheWay
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls


class WaitsForBarriers(IgnoresTheWay):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.unconfirmed = {}  # flow -> switches that have not answered the barrier after its rule
        self.waiting = {}  # flow -> its packets that wait for them

    def install_path(self, flow, path):
        self.unconfirmed[flow] = list(path[1:])
        self.waiting[flow] = []
        for datapath_id in path[1:]:
            self.install(datapath_id, flow, path)
            datapath = self.datapaths[datapath_id]
            datapath.send_msg(datapath.ofproto_parser.OFPBarrierRequest(datapath))
        self.start_if_confirmed(flow)

    def forward(self, message, flow, path):
        if flow in self.waiting:
            self.waiting[flow].append(message)
        else:
            super().forward(message, flow, path)

    @set_ev_cls(ofp_event.EventOFPBarrierReply, MAIN_DISPATCHER)
    def barrier_reply(self, event):
        """The first flow that waits for this switch is meant: a switch answers in the order it was asked."""
        for flow, switches in self.unconfirmed.items():
            if event.msg.datapath.id in switches:
                switches.remove(event.msg.datapath.id)
                self.start_if_confirmed(flow)
                return

    def start_if_confirmed(self, flow):
        if not self.unconfirmed[flow]:
            del self.unconfirmed[flow]
            path = self.paths[flow]
            self.install(path[0], flow, path)
            for message in self.waiting.pop(flow):
                self.forward(message, flow, path)
