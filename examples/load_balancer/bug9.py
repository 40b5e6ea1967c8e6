"""BUG-IX: in a transition a SYN counts as the start of a new connection, even if it is the copy of an old one."""

from balancer import DAY, GROUPS, REPLICAS, LoadBalancer
from os_ken.lib.packet import tcp


class TrustsSyn(LoadBalancer):
    first_policy = DAY

    def choose(self, group, segment):
        if segment.has_flags(tcp.TCP_SYN):
            return REPLICAS[self.policy[GROUPS.index(group)]]
        return super().choose(group, segment)
