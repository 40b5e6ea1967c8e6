"""A small OpenFlow 1.0 switch in a process of its own, written without any code of sdnloom.

    python independent_switch.py unix:PATH [DEVIATION ...]
    python independent_switch.py tcp:PORT [DEVIATION ...]
    python independent_switch.py connect:PORT [DEVIATION ...]

It has ports 1 to 3, no buffers, one table, and the action OUTPUT. Frames go nowhere: it counts them. DEVIATIONS lists
what it does differently when asked to.
"""

import contextlib
import os
import socket
import struct
import sys

DEVIATIONS = {
    "in-port": "a Packet Out to IN_PORT is dropped",
    "short-miss": "miss_send_len above 255 becomes 255",
    "no-command-error": "a FlowMod with an unknown command is ignored",
    "abort": "a Packet Out to NORMAL ends the process",
    "hang-up": "a Packet Out to FLOOD ends the connection",
    "no-table": "a Packet Out to TABLE is refused",
    "no-counters": "requests for the counters of ports are refused",
}
PORTS = (1, 2, 3)
MAX, IN_PORT, TABLE, NORMAL, FLOOD, ALL, CONTROLLER, NONE = (
    0xFF00,
    0xFFF8,
    0xFFF9,
    0xFFFA,
    0xFFFB,
    0xFFFC,
    0xFFFD,
    0xFFFF,
)
NO_BUFFER = 0xFFFFFFFF
BAD_REQUEST, BAD_ACTION, FLOW_MOD_FAILED, PORT_MOD_FAILED = 1, 2, 3, 4
WILDCARD_IN_PORT = 1


class RefusedError(Exception):
    """A request that is answered with an error of this type and code."""


class Switch:
    def __init__(self, deviations):
        self.deviations = deviations
        self.sent = dict.fromkeys(PORTS, 0)
        self.received = dict.fromkeys(PORTS, 0)
        self.flows = {}  # (wildcards, in_port, priority) -> output ports
        self.flags, self.miss_send_len = 0, 128

    def handle(self, data):
        """Return the answers to one message."""
        version, kind, _, xid = struct.unpack_from("!BBHI", data)
        self.out = []
        try:
            if version != 1:
                raise RefusedError(BAD_REQUEST, 0)
            handler = HANDLERS.get(kind)
            if handler is None:
                raise RefusedError(BAD_REQUEST, 1)
            handler(self, xid, data[8:])
        except RefusedError as error:
            self.out = [message(1, xid, struct.pack("!HH", *error.args) + data[:64])]
        except struct.error:
            self.out = [message(1, xid, struct.pack("!HH", BAD_REQUEST, 6) + data[:64])]
        return self.out

    # -- requests -------------------------------------------------------------------------------------------------

    def hello(self, xid, body):
        """Any version is as good as 1.0, which this switch goes on with."""

    def echo(self, xid, body):
        self.out.append(message(3, xid, body))

    def features(self, xid, body):
        need(not body)
        ports = b"".join(self.port(number) for number in PORTS)
        self.out.append(message(6, xid, struct.pack("!QIB3xII", 1, 0, 1, 0x0F, 0x01) + ports))

    def port(self, number):
        address = bytes((2, 0, 0, 0, 0, number))
        return struct.pack("!H6s16sIIIIII", number, address, b"port%d" % number, 0, 0, 0, 0, 0, 0)

    def get_config(self, xid, body):
        need(not body)
        self.out.append(message(8, xid, struct.pack("!HH", self.flags, self.miss_send_len)))

    def set_config(self, xid, body):
        need(len(body) == 4)
        flags, length = struct.unpack("!HH", body)
        if "short-miss" in self.deviations:
            length = min(length, 255)
        self.flags, self.miss_send_len = flags, length

    def barrier(self, xid, body):
        need(not body)
        self.out.append(message(19, xid))

    def port_mod(self, xid, body):
        need(len(body) == 24)
        number, address = struct.unpack_from("!H6s", body)
        if number not in PORTS:
            raise RefusedError(PORT_MOD_FAILED, 0)
        if address != bytes((2, 0, 0, 0, 0, number)):
            raise RefusedError(PORT_MOD_FAILED, 1)

    def statistics(self, xid, body):
        kind, _ = struct.unpack_from("!HH", body)
        if kind != 4 or "no-counters" in self.deviations:
            raise RefusedError(BAD_REQUEST, 2)
        need(len(body) == 12)
        (asked,) = struct.unpack_from("!H", body, 4)
        rows = [
            struct.pack("!H6x12Q", number, self.received[number], self.sent[number], *[0] * 10)
            for number in PORTS
            if asked in (number, NONE)
        ]
        self.out.append(message(17, xid, struct.pack("!HH", 4, 0) + b"".join(rows)))

    # -- packets --------------------------------------------------------------------------------------------------

    def packet_out(self, xid, body):
        buffer, in_port, size = struct.unpack_from("!IHH", body)
        need(size <= len(body) - 8)
        outputs = read_actions(body[8 : 8 + size])
        frame = body[8 + size :]
        if buffer != NO_BUFFER:
            raise RefusedError(BAD_REQUEST, 8)
        for port in outputs:
            if port not in PORTS and not IN_PORT <= port <= CONTROLLER:
                raise RefusedError(BAD_ACTION, 4)
            if port == TABLE and "no-table" in self.deviations:
                raise RefusedError(BAD_ACTION, 4)
        for port in outputs:
            if port == NORMAL and "abort" in self.deviations:
                os.abort()
            if port == FLOOD and "hang-up" in self.deviations:
                raise EOFError
            if port == IN_PORT and "in-port" in self.deviations:
                continue
            self.output(port, in_port, frame)

    def output(self, port, in_port, frame):
        if port == IN_PORT:
            port = in_port
        elif port == in_port:
            return
        if port == TABLE:
            self.through_table(in_port, frame)
        elif port == CONTROLLER:
            self.packet_in(1, in_port, frame)
        for number in PORTS:
            if number == port or (port in (NORMAL, FLOOD, ALL) and number != in_port):
                self.sent[number] += 1

    def through_table(self, in_port, frame):
        matching = [key for key in self.flows if key[0] & WILDCARD_IN_PORT or key[1] == in_port]
        if not matching:
            self.packet_in(0, in_port, frame)
            return
        for port in self.flows[max(matching, key=lambda key: (not key[0], key[2]))]:
            self.output(port, in_port, frame)

    def packet_in(self, reason, in_port, frame):
        self.out.append(message(10, 0, struct.pack("!IHHBx", NO_BUFFER, len(frame), in_port, reason) + frame))

    def flow_mod(self, xid, body):
        need(len(body) >= 64)
        wildcards, in_port = struct.unpack_from("!IH", body)
        _, command, _, _, priority, buffer, _, _ = struct.unpack_from("!QHHHHIHH", body, 40)
        outputs = read_actions(body[64:])
        if command > 4:
            if "no-command-error" in self.deviations:
                return
            raise RefusedError(FLOW_MOD_FAILED, 4)
        if any(port not in PORTS and not (IN_PORT <= port <= CONTROLLER and port != TABLE) for port in outputs):
            raise RefusedError(BAD_ACTION, 4)
        if buffer != NO_BUFFER and command < 3:
            raise RefusedError(BAD_REQUEST, 8)
        key = (wildcards & WILDCARD_IN_PORT, 0 if wildcards & WILDCARD_IN_PORT else in_port, priority)
        selected = [each for each in self.flows if covers(key, each) and (command in (1, 3) or each == key)]
        if command in (3, 4):
            for each in selected:
                del self.flows[each]
        elif command in (1, 2) and selected:
            self.flows.update(dict.fromkeys(selected, outputs))
        else:
            self.flows[key] = outputs


HANDLERS = {
    0: Switch.hello, 2: Switch.echo, 5: Switch.features, 7: Switch.get_config, 9: Switch.set_config,
    13: Switch.packet_out, 14: Switch.flow_mod, 15: Switch.port_mod, 16: Switch.statistics, 18: Switch.barrier,
}  # fmt: skip


def covers(general, special):
    return bool(general[0]) or general[:2] == special[:2]


def read_actions(data):
    """Return the ports of a list of outputs."""
    ports = []
    while data:
        if len(data) < 8:
            raise RefusedError(BAD_ACTION, 1)
        kind, size, port, _ = struct.unpack_from("!HHHH", data)
        if size < 8 or size % 8 or size > len(data):
            raise RefusedError(BAD_ACTION, 1)
        if kind != 0:
            raise RefusedError(BAD_ACTION, 0)
        if size != 8:
            raise RefusedError(BAD_ACTION, 1)
        ports.append(port)
        data = data[size:]
    return ports


def need(right_length):
    if not right_length:
        raise RefusedError(BAD_REQUEST, 6)


def message(kind, xid, body=b""):
    return struct.pack("!BBHI", 1, kind, 8 + len(body), xid) + body


def serve(switch, connection):
    """Answer one controller until it leaves."""
    connection.sendall(message(0, 0))
    data = b""
    while more := connection.recv(65536):
        data += more
        while len(data) >= 8 and len(data) >= (length := struct.unpack_from("!H", data, 2)[0]):
            if length < 8:
                return
            answers, data = switch.handle(data[:length]), data[length:]
            connection.sendall(b"".join(answers))


def connections(address):
    """Yield one connection after the other."""
    kind, _, place = address.partition(":")
    if kind == "connect":
        while True:
            yield socket.create_connection(("127.0.0.1", int(place)))
    family = socket.AF_UNIX if kind == "unix" else socket.AF_INET
    with socket.socket(family) as listener:
        listener.bind(place if kind == "unix" else ("127.0.0.1", int(place)))
        listener.listen()
        sys.stdout.write(f"{listener.getsockname() if kind == 'unix' else listener.getsockname()[1]}\n")
        sys.stdout.flush()
        while True:
            yield listener.accept()[0]


if __name__ == "__main__":
    running = Switch(frozenset(sys.argv[2:]))
    assert running.deviations <= set(DEVIATIONS), f"expected deviations out of {', '.join(DEVIATIONS)}"
    for each in connections(sys.argv[1]):
        with contextlib.suppress(EOFError, ConnectionError):
            serve(running, each)
        each.close()
