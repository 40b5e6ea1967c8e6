"""The exchange of a run as a pcapng file that Wireshark reads: OpenFlow in TCP, and the frames on each port.

The first interface is the connection between switch and controller, with Ethernet, IPv4 and TCP headers made for it;
each port is another one. Times are those of the test, with a microsecond between two packets. The same exchange gives
the same bytes.
"""

from collections.abc import Sequence
from typing import Final

from sdnloom.crosscheck.agent import PORTS, Close, Crash, Wait
from sdnloom.crosscheck.recorded_agent import Exchanged
from sdnloom.network.packet.headers import TcpFlag
from sdnloom.report.pcapng import INBOUND, OPENFLOW_PORT, OUTBOUND, Capture, CapturedConnection, TcpSide

_SWITCH, _CONTROLLER = 0, 1
# 192.0.2.1 and .2, which RFC 5737 reserves for documentation
_SIDES: Final = (TcpSide(0x020000000001, 0xC0000201, 50001), TcpSide(0x020000000002, 0xC0000202, OPENFLOW_PORT))


def exchange_pcapng(exchange: Sequence[Exchanged], comment: str = "") -> bytes:
    """Return the contents of the file; `comment` says what it shows."""
    capture = Capture(comment)
    connection = CapturedConnection(capture, capture.interface("controller"), *_SIDES)
    used = [one.what[0] for one in exchange if isinstance(one.what, tuple)]
    ports = {port: capture.interface(f"port {port}") for port in sorted({*range(1, PORTS + 1), *used})}
    for one in exchange:
        capture.at(one.milliseconds * 1000)
        match one.what:
            case bytes() as data:
                connection.send(_SWITCH if one.by_agent else _CONTROLLER, data)
            case (port, frame):
                capture.add(ports[port], bytes(frame), OUTBOUND if one.by_agent else INBOUND)
            case Crash(reason):
                connection.end(_SWITCH, TcpFlag.RST, f"the switch crashed: {reason}".rstrip(": "))
            case Close():
                connection.end(_SWITCH, TcpFlag.FIN, "the switch closed the connection")
            case Wait():
                capture.remark("the switch waits for more bytes")
    return capture.contents()
