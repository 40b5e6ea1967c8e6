"""BUG-II corrected: the reverse rule is installed before the packet is sent."""

from pyswitch import PySwitch


class ReverseFirst(PySwitch):
    def forward(self, message, frame, out):
        self.install(message.datapath, (frame.dst, frame.src), frame.ethertype, out, message.in_port)
        super().forward(message, frame, out)
