"""A MAC-learning switch with three published defects, and what became of each attempt to mend them.

`PySwitch` follows figure 3 of the NICE paper, and so the example application of the NOX controller. Its defects
(section 9.1): a host that moves stays unreachable (BUG-I), the direct path comes too late (BUG-II), and packets go
round for ever where the network has a cycle (BUG-III). The classes after it mend one defect each, two of them only in
part.
"""

from sdnloom.network.openflow import FlowCommand, FlowMod, Match, Output
from sdnloom.network.packet import decode
from sdnloom.network.traffic import is_group


class PySwitch:
    """Learns which port leads to whom, and installs a rule for a packet whose destination it knows."""

    idle_timeout = 5
    hard_timeout = 0

    def __init__(self):
        self.ports = {}  # switch -> address -> port

    def switch_join(self, net, switch, features):
        self.ports.setdefault(switch, {})

    def switch_leave(self, net, switch):
        self.ports.pop(switch, None)

    def packet_in(self, net, switch, message):
        frame = decode(message.data).headers[0]
        self.learn(net, switch, frame.src, message.in_port)
        out = self.ports[switch].get(frame.dst)
        if is_group(frame.dst) or out is None or out == message.in_port:
            self.flood(net, switch, message)
        else:
            self.forward(net, switch, message, frame, out)

    def learn(self, net, switch, address, port):
        if not is_group(address):
            self.ports[switch][address] = port

    def flood(self, net, switch, message):
        net.flood(switch, message)

    def forward(self, net, switch, message, frame, out):
        self.install(net, switch, frame.src, frame.dst, frame.type, message.in_port, out, release=message)

    def install(self, net, switch, src, dst, kind, in_port, out, release=None):
        match = Match.of(in_port=in_port, eth_src=src, eth_dst=dst, eth_type=kind)
        net.install(
            switch,
            match,
            Output(out),
            release=release,
            idle_timeout=self.idle_timeout,
            hard_timeout=self.hard_timeout,
        )


class HardTimeout(PySwitch):
    """Half a cure for BUG-I: a rule ends even while it is used. Until then packets to a host that moved are lost."""

    hard_timeout = 10


class Following(PySwitch):
    """A cure for BUG-I: when an address shows up at another port, the rules that lead to the old one go."""

    def learn(self, net, switch, address, port):
        if self.ports[switch].get(address, port) != port:
            net.send(switch, FlowMod(Match.of(eth_dst=address), FlowCommand.DELETE))
        super().learn(net, switch, address, port)


class ReverseSecond(PySwitch):
    """No cure for BUG-II: the rule for the way back comes after the packet has gone, and an answer may be faster."""

    def forward(self, net, switch, message, frame, out):
        super().forward(net, switch, message, frame, out)
        self.install(net, switch, frame.dst, frame.src, frame.type, out, message.in_port)


class ReverseFirst(PySwitch):
    """A cure for BUG-II: the rule for the way back is there before the packet goes."""

    def forward(self, net, switch, message, frame, out):
        self.install(net, switch, frame.dst, frame.src, frame.type, out, message.in_port)
        super().forward(net, switch, message, frame, out)


class SpanningTree(PySwitch):
    """A cure for BUG-III: packets are flooded along a spanning tree. A link is [switch, port, switch, port]."""

    def __init__(self, links):
        super().__init__()
        self.open = {}  # switch -> ports that packets are flooded out of
        self.closed = closed_ends(links)

    def switch_join(self, net, switch, features):
        super().switch_join(net, switch, features)
        self.open[switch] = [desc.port_no for desc in features.ports if (switch, desc.port_no) not in self.closed]

    def flood(self, net, switch, message):
        ports = [port for port in self.open[switch] if port != message.in_port]
        net.packet_out(switch, message, *(Output(port) for port in ports))


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
