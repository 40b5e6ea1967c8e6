"""The agent of `tiny_switch.py` without its two defects: it refuses ports and VLANs that do not exist."""

import struct

HELLO, ERROR, ECHO_REQUEST, ECHO_REPLY, PACKET_OUT, BARRIER_REQUEST, BARRIER_REPLY = 0, 1, 2, 3, 13, 18, 19
OUTPUT, SET_VLAN_VID = 0, 1
PORTS = {1: "left", 2: "right", 3: "up"}


class TinySwitch:
    """A switch without a flow table: packets that arrive are dropped."""

    versions = (1,)

    def reset(self):
        """Start again; the answer is what the switch sends on a new connection."""
        self.sent = dict.fromkeys(PORTS.values(), 0)
        return [message(HELLO, 0, b"")]

    def message(self, data):
        """Handle a message of the controller."""
        _version, kind, _length, xid = struct.unpack("!BBHI", data[:8])
        if kind == HELLO:
            return []
        if kind == ECHO_REQUEST:
            return [message(ECHO_REPLY, xid, data[8:])]
        if kind == BARRIER_REQUEST:
            return [message(BARRIER_REPLY, xid, b"")]
        if kind == PACKET_OUT:
            return self.packet_out(data, xid)
        return [error(data, xid, 1, 1)]  # bad request, bad type

    def packet_out(self, data, xid):
        """Execute the actions of a Packet Out on its packet, one after the other."""
        (size,) = struct.unpack("!H", data[14:16])
        frame, sent = data[16 + size :], []
        at = 16
        while at < 16 + size:
            kind, length = struct.unpack("!HH", data[at : at + 4])
            if kind == OUTPUT:
                (port,) = struct.unpack("!H", data[at + 4 : at + 6])
                if port not in PORTS:
                    return [error(data, xid, 2, 4)]  # bad action, bad out port
                self.sent[PORTS[port]] += 1
                sent.append((port, frame))
            elif kind == SET_VLAN_VID:
                (vlan,) = struct.unpack("!H", data[at + 4 : at + 6])
                if vlan > 0x0FFF:
                    return [error(data, xid, 2, 5)]  # bad action, bad argument
                frame = with_vlan(frame, vlan)
            else:
                return [error(data, xid, 2, 0)]  # bad action, bad type
            at += length
        return sent

    def packet(self, port, frame):
        """Handle a packet that arrives on a port."""
        return []

    def advance(self, milliseconds):
        """Let time pass."""
        return []


def message(kind, xid, body):
    """An OpenFlow 1.0 message."""
    return struct.pack("!BBHI", 1, kind, 8 + len(body), xid) + body


def error(request, xid, kind, code):
    """An error message, which quotes the request."""
    return message(ERROR, xid, struct.pack("!HH", kind, code) + request[:64])


def with_vlan(frame, vlan):
    """The packet with this VLAN in its tag; it gets a tag if it has none."""
    (kind,) = struct.unpack("!H", frame[12:14])
    if kind == 0x8100:
        (tag,) = struct.unpack("!H", frame[14:16])
        return frame[:14] + struct.pack("!H", tag & 0xF000 | vlan) + frame[16:]
    return frame[:12] + struct.pack("!HH", 0x8100, vlan) + frame[12:]
