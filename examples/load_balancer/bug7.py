"""BUG-VII: the old rule goes before the one to the controller comes; a packet in between matches none and is ignored.

It shows only together with BUG-V: a program that looks at unmatched packets takes care of this one too.
"""

from balancer import BALANCED, DAY
from bug5 import IgnoresUnmatched


class RemovesFirst(IgnoresUnmatched):
    first_policy = DAY

    def divert(self, group, installed):
        if installed:
            self.remove(BALANCED, group)
        self.install_transition(group)
