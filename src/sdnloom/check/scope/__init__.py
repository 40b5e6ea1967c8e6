"""The scope of a check: what its search tried, and what it did not."""

from sdnloom.check.scope.omission import Omission, omissions
from sdnloom.check.scope.traffic import SentTraffic, tried_traffic

__all__ = ["Omission", "SentTraffic", "omissions", "tried_traffic"]
