"""BUG-IX corrected: as `LoadBalancer`, with rules from the start."""

from balancer import DAY, LoadBalancer


class KeepsReplica(LoadBalancer):
    first_policy = DAY
