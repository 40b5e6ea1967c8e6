"""BUG-VII in a program without BUG-V: the wrong order remains, and nobody can tell."""

from balancer import BALANCED, DAY, LoadBalancer


class RemovesFirstUnnoticed(LoadBalancer):
    first_policy = DAY

    def divert(self, group, installed):
        if installed:
            self.remove(BALANCED, group)
        self.install_transition(group)
