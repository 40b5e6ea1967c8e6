"""Three switches in a circle with a host each, as a Mininet file (`mn --custom triangle.py --topo triangle`)."""

from mininet.topo import Topo


class Triangle(Topo):
    def build(self):
        for number in (1, 2, 3):
            switch = self.addSwitch(f"s{number}")
            self.addLink(self.addHost(f"h{number}"), switch)
        self.addLink("s1", "s2")
        self.addLink("s2", "s3")
        self.addLink("s3", "s1")


topos = {"triangle": Triangle}
