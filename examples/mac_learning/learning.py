"""A MAC-learning switch with three published defects, and corrected versions of it.

`PySwitch` follows figure 3 of the NICE paper, and so the example application of the NOX controller. Its defects
(section 9.1): a host that moves stays unreachable (BUG-I), the direct path comes too late (BUG-II), and packets go
round for ever where the network has a cycle (BUG-III). Each of the other classes corrects one defect; `HardTimeout` and
`ReverseSecond` do so only in part.
"""

from sdnloom import is_group, openflow, packet


class PySwitch:
    """Learns the port of each address, and installs a rule for a packet whose destination it knows."""

    idle_timeout = 5
    hard_timeout = 0

    def __init__(self):
        self.ports = {}  # switch -> address -> port

    def switch_join(self, net, switch, features):
        self.ports.setdefault(switch, {})

    def switch_leave(self, net, switch):
        self.ports.pop(switch, None)

    def packet_in(self, net, switch, message):
        frame = packet.decode(message.data).headers[0]
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
        match = openflow.Match.of(in_port=in_port, eth_src=src, eth_dst=dst, eth_type=kind)
        net.install(
            switch,
            match,
            openflow.Output(out),
            release=release,
            idle_timeout=self.idle_timeout,
            hard_timeout=self.hard_timeout,
        )


class HardTimeout(PySwitch):
    """A partial correction of BUG-I: a rule ends even while it is used. Until then packets to a moved host are lost."""

    hard_timeout = 10


class Following(PySwitch):
    """Corrects BUG-I: when an address appears at another port, the rules to the old port are deleted."""

    def learn(self, net, switch, address, port):
        if self.ports[switch].get(address, port) != port:
            net.send(switch, openflow.FlowMod(openflow.Match.of(eth_dst=address), openflow.FlowCommand.DELETE))
        super().learn(net, switch, address, port)


class ReverseSecond(PySwitch):
    """Does not correct BUG-II: the reverse rule is installed after the packet was sent, so an answer may be faster."""

    def forward(self, net, switch, message, frame, out):
        super().forward(net, switch, message, frame, out)
        self.install(net, switch, frame.dst, frame.src, frame.type, out, message.in_port)


class ReverseFirst(PySwitch):
    """Corrects BUG-II: the reverse rule is installed before the packet is sent."""

    def forward(self, net, switch, message, frame, out):
        self.install(net, switch, frame.dst, frame.src, frame.type, out, message.in_port)
        super().forward(net, switch, message, frame, out)


class SpanningTree(PySwitch):
    """Corrects BUG-III: packets are flooded along a spanning tree. A link is [switch, port, switch, port]."""

    def __init__(self, links):
        super().__init__()
        self.open = {}  # switch -> ports that packets are flooded out of
        self.closed = closed_ends(links)

    def switch_join(self, net, switch, features):
        super().switch_join(net, switch, features)
        self.open[switch] = [desc.port_no for desc in features.ports if (switch, desc.port_no) not in self.closed]

    def flood(self, net, switch, message):
        ports = [port for port in self.open[switch] if port != message.in_port]
        net.packet_out(switch, message, *(openflow.Output(port) for port in ports))


def closed_ends(links):
    """Return the ends of the links that are not part of a spanning tree: those that close a cycle."""
    trees, closed = {}, set()
    for left, left_port, right, right_port in sorted(links):
        left_tree, right_tree = trees.setdefault(left, {left}), trees.setdefault(right, {right})
        if left_tree is right_tree:
            closed |= {(left, left_port), (right, right_port)}
        else:
            left_tree |= right_tree
            trees.update(dict.fromkeys(right_tree, left_tree))
    return closed
