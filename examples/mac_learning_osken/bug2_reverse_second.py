"""No cure for BUG-II: the rule for the way back comes after the packet has gone, and an answer may be faster."""

from pyswitch import PySwitch


class ReverseSecond(PySwitch):
    def forward(self, message, frame, out):
        super().forward(message, frame, out)
        self.install(message.datapath, (frame.dst, frame.src), frame.ethertype, out, message.in_port)
