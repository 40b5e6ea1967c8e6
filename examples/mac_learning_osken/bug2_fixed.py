"""BUG-II mended: the rule for the way back is there before the packet goes."""

from pyswitch import PySwitch


class ReverseFirst(PySwitch):
    def forward(self, message, frame, out):
        self.install(message.datapath, (frame.dst, frame.src), frame.ethertype, out, message.in_port)
        super().forward(message, frame, out)
