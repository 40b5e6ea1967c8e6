"""BUG-VII corrected and nothing else: unmatched packets are still ignored, but there are none during a change."""

from balancer import DAY
from bug5 import IgnoresUnmatched


class InstallsFirst(IgnoresUnmatched):
    first_policy = DAY
