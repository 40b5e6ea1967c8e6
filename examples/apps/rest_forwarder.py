"""Forwards from port to port as a REST client says: PUT /forward/1 {"1": 2, "2": 1} joins two ports of switch 1."""

import json

from os_ken.app.wsgi import ControllerBase, Response, WSGIApplication, route
from os_ken.base.app_manager import OSKenApp
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.ofproto import ofproto_v1_3


class RestForwarder(OSKenApp):
    OFP_VERSIONS = (ofproto_v1_3.OFP_VERSION,)
    _CONTEXTS = {"wsgi": WSGIApplication}  # noqa: RUF012 (as os-ken has it)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.datapaths = {}
        kwargs["wsgi"].register(Interface, {"app": self})

    @set_ev_cls(ofp_event.EventOFPStateChange, MAIN_DISPATCHER)
    def joined(self, ev):
        self.datapaths[ev.datapath.id] = ev.datapath

    def forward(self, datapath, in_port, out_port):
        parser = datapath.ofproto_parser
        actions = [parser.OFPActionOutput(out_port)]
        datapath.send_msg(
            parser.OFPFlowMod(
                datapath,
                match=parser.OFPMatch(in_port=in_port),
                instructions=[parser.OFPInstructionActions(datapath.ofproto.OFPIT_APPLY_ACTIONS, actions)],
            )
        )


class Interface(ControllerBase):
    def __init__(self, req, link, data, **config):
        super().__init__(req, link, data, **config)
        self.app = data["app"]

    @route("forward", "/forward/{dpid}", methods=["PUT"], requirements={"dpid": "[0-9]+"})
    def put(self, req, dpid, **kwargs):
        datapath = self.app.datapaths.get(int(dpid))
        if datapath is None:
            return Response(status=404, text=f"no switch {dpid}")
        for in_port, out_port in json.loads(req.text).items():
            self.app.forward(datapath, int(in_port), out_port)
        return Response(text="done")
