"""Small controller programs for tests."""

from sdnloom.network.openflow import Match, Output, Port
from sdnloom.network.packet import decode
from sdnloom.platforms.python.program import PythonProgram


class Learning:
    """The MAC-learning program of the engine's benchmark: floods while it does not know, installs when it does."""

    per_switch = True

    def __init__(self):
        self.ports = {}

    def switch_join(self, net, switch, features):
        self.ports[switch] = {}

    def switch_leave(self, net, switch):
        del self.ports[switch]

    def packet_in(self, net, switch, message):
        frame = decode(message.data).headers[0]
        self.ports[switch][frame.src] = message.in_port
        out = self.ports[switch].get(frame.dst, message.in_port)
        if out == message.in_port:
            net.flood(switch, message)
        else:
            match = Match.of(in_port=message.in_port, eth_src=frame.src, eth_dst=frame.dst)
            net.install(switch, match, Output(out), release=message)


class Hub:
    """Floods everything with one rule for each switch, and what came before the rule by hand."""

    def switch_join(self, net, switch, features):
        net.install(switch, Match(), Output(Port.FLOOD), priority=1)

    def packet_in(self, net, switch, message):
        net.flood(switch, message)


class Silent:
    """Does nothing about any packet."""

    def packet_in(self, net, switch, message):
        pass


class Witness:
    """Remembers every input, and floods packets."""

    def __init__(self):
        self.seen = ()

    def see(self, *what):
        self.seen = (*self.seen, what)

    def switch_join(self, net, switch, features):
        self.see("join", switch, len(features.ports))

    def switch_leave(self, net, switch):
        self.see("leave", switch)

    def port_status(self, net, switch, message):
        self.see("port", switch, message.desc.port_no, message.desc.state & 1)

    def timer(self, net, name):
        self.see("timer", name)

    def external(self, net, name, *arguments):
        self.see("external", name, *arguments)

    def packet_in(self, net, switch, message):
        net.flood(switch, message)


learning, hub, silent, witness = (PythonProgram(kind) for kind in (Learning, Hub, Silent, Witness))
