"""A small OpenFlow 1.0 agent for tests: Packet Out with one action, Barrier, errors. It imports nothing of sdnloom."""

import struct

HELLO = bytes((1, 0, 0, 8, 0, 0, 0, 0))


class Small:
    """Knows ports 1 to 3 and FLOOD; an output to the controller ends it."""

    def reset(self):
        return [HELLO]

    def message(self, data):
        _, kind, _, xid = struct.unpack("!BBHI", data[:8])
        if kind == 0:
            return []
        if kind == 18:
            return [struct.pack("!BBHI", 1, 19, 8, xid)]
        if kind != 13:
            return [self.error(xid, 1, 1, data)]
        action, _, port, _ = struct.unpack("!HHHH", data[16:24])
        if action != 0:
            return [self.error(xid, 2, 0, data)]
        return self.output(port, data[24:], xid, data)

    def output(self, port, frame, xid, data):
        if port == 0xFFFD:
            raise ValueError("to the controller")
        if 1 <= port <= 3:
            return [(port, frame)]
        if port == 0xFFFB:
            return [(each, frame) for each in (3, 2, 1)]
        return [self.error(xid, 2, 4, data)]

    def error(self, xid, kind, code, data):
        return struct.pack("!BBHIHH", 1, 1, 12 + len(data), xid, kind, code) + data

    def packet(self, port, frame):
        return []

    def advance(self, milliseconds):
        return []
