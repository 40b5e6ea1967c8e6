"""The learning switch without its mistake: the packet that waits goes the way of the new rule."""

from learning_switch import LearningSwitch


class FixedSwitch(LearningSwitch):
    def forward(self, message, match, actions):
        super().forward(message, match, actions)
        self.release(message, message.match["in_port"], actions)
