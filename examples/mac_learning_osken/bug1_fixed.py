"""BUG-I corrected: when an address appears at another port, the rules to the old port are deleted."""

from pyswitch import PySwitch


class Following(PySwitch):
    def learn(self, datapath, address, port):
        if self.ports[datapath.id].get(address, port) != port:
            parser = datapath.ofproto_parser
            match = parser.OFPMatch(dl_dst=address)
            datapath.send_msg(parser.OFPFlowMod(datapath, match, command=datapath.ofproto.OFPFC_DELETE))
        super().learn(datapath, address, port)
