"""The correction: s3 knows the way before anything is sent there, and moving a flow is one message to one switch."""

from elephants import DETOUR, HOSTS, ONWARD, Elephants
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, set_ev_cls


class Prepared(Elephants):
    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_joined(self, event):
        super().switch_joined(event)
        if event.msg.datapath.id == 3:
            for address in HOSTS:
                self.install(event.msg.datapath, address, ONWARD)

    def move(self, address):
        self.install(self.datapaths[1], address, DETOUR)
