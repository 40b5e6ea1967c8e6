"""No correction of BUG-II: the reverse rule is installed after the packet was sent, so an answer may be faster."""

from pyswitch import PySwitch


class ReverseSecond(PySwitch):
    def forward(self, message, frame, out):
        super().forward(message, frame, out)
        self.install(message.datapath, (frame.dst, frame.src), frame.ethertype, out, message.in_port)
