"""Captures of exchanges: Wireshark reads them, and so does a small reader that follows the format's description."""

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sdnloom.crosscheck.agent import Close, Crash, Observed, Wait
from sdnloom.crosscheck.recorded_agent import Exchanged
from sdnloom.network.packet import Ethernet, IPv4, Udp, decode, encode, stack
from sdnloom.network.packet.headers import Tcp, TcpFlag
from sdnloom.report.crosscheck.pcapng import exchange_pcapng

FRAME = encode(stack(Ethernet(2, 1), IPv4(1, 2), Udp(1, 2), payload=b"hi"))
HELLO = bytes.fromhex("0100000800000001")
LONG = b"\1\2" + struct.pack(">H", 3000) + bytes(2996)  # an echo request of 3,000 octets


class Packet(NamedTuple):
    interface: str
    microseconds: int
    data: bytes
    direction: int
    comment: str


def read(contents: bytes) -> list[Packet]:
    """The packets of a pcapng file of one little-endian section."""
    names: list[str] = []
    packets = []
    at = 0
    while at < len(contents):
        kind, size = struct.unpack_from("<II", contents, at)
        assert size % 4 == 0
        assert struct.unpack_from("<I", contents, at + size - 4) == (size,)
        body = contents[at + 8 : at + size - 4]
        if at == 0:
            assert (kind, body[:8]) == (0x0A0D0D0A, struct.pack("<IHH", 0x1A2B3C4D, 1, 0))
        elif kind == 1:
            assert struct.unpack_from("<H", body)[0] == 1
            names.append(options(body[8:])[2].decode())
        else:
            assert kind == 6
            interface, high, low, captured, length = struct.unpack_from("<IIIII", body)
            assert captured == length
            found = options(body[20 + length + -length % 4 :])
            direction = struct.unpack("<I", found[2])[0]
            comment = found.get(1, b"").decode()
            packets.append(Packet(names[interface], high << 32 | low, body[20 : 20 + length], direction, comment))
        at += size
    return packets


def options(data: bytes) -> dict[int, bytes]:
    found = {}
    while (head := struct.unpack_from("<HH", data)) != (0, 0):
        found[head[0]] = data[4 : 4 + head[1]]
        data = data[4 + head[1] + -head[1] % 4 :]
    return found


def exchange(*items: tuple[int, bool, Observed]) -> list[Exchanged]:
    return [Exchanged(*item) for item in items]


WHOLE = exchange(
    (0, True, HELLO), (0, False, HELLO), (0, False, LONG), (0, True, LONG), (1500, False, (1, FRAME)),
    (1500, True, (3, FRAME)), (1500, False, b"\1\2"), (1500, True, Wait()), (2500, True, Crash("KeyError: 3")),
    (2500, True, HELLO),
)  # fmt: skip


def test_streams_are_whole_and_in_order_with_correct_checksums() -> None:
    packets = read(exchange_pcapng(WHOLE))
    control = [packet for packet in packets if packet.interface == "controller"]
    assert all(encode(decode(packet.data)) == packet.data for packet in packets)
    headers = [decode(packet.data).headers for packet in control]
    assert all(head[1].checksum is None and head[2].checksum is None for head in headers)  # as computed
    streams = {50001: b"", 6653: b""}
    following: dict[int, int] = {}
    for packet in control:
        decoded = decode(packet.data)
        tcp = decoded.headers[2]
        assert isinstance(tcp, Tcp)
        assert {tcp.src, tcp.dst} == {50001, 6653}
        assert tcp.seq == following.get(tcp.src, tcp.seq)
        assert not tcp.flags & TcpFlag.ACK or tcp.ack == following[tcp.dst]
        streams[tcp.src] += decoded.payload
        following[tcp.src] = tcp.seq + len(decoded.payload) + bool(tcp.flags & TcpFlag.SYN)
    assert streams == {50001: HELLO + LONG, 6653: HELLO + LONG + b"\1\2"}  # nothing after the crash


def test_frames_are_on_the_interface_of_their_port_at_the_time_of_the_test() -> None:
    packets = read(exchange_pcapng(WHOLE))
    assert [
        (one.interface, one.microseconds, one.data, one.direction) for one in packets if one.interface[:4] == "port"
    ] == [
        ("port 1", 1_500_001, FRAME, 1),
        ("port 3", 1_500_002, FRAME, 2),
    ]
    times = [packet.microseconds for packet in packets]
    assert times == sorted(set(times))


def test_a_crash_resets_the_connection_a_close_ends_it_and_a_wait_is_a_comment() -> None:
    packets = read(exchange_pcapng(WHOLE))
    assert [packet.comment for packet in packets if packet.comment] == [
        "the switch waits for more bytes",
        "the switch crashed: KeyError: 3",
    ]
    assert decode(packets[-1].data).headers[2].flags == TcpFlag.RST | TcpFlag.ACK
    closed = read(exchange_pcapng(exchange((0, True, Close()))))
    assert decode(closed[-1].data).headers[2].flags == TcpFlag.FIN | TcpFlag.ACK


def test_a_frame_on_a_port_without_number_is_not_taken_for_the_connection() -> None:
    packets = read(exchange_pcapng(exchange((0, True, (0, FRAME)), (0, True, (0xFFFE, FRAME)))))
    assert [packet.interface for packet in packets[3:]] == ["port 0", "port 65534"]


def test_wireshark_reads_the_messages_and_finds_no_mistake(tmp_path: Path, need_tool: Callable[[str], None]) -> None:
    need_tool("tshark")
    (tmp_path / "a.pcapng").write_bytes(exchange_pcapng(WHOLE, "an example"))
    fields = [
        part for name in ("openflow_1_0.type", "tcp.analysis.flags", "tcp.checksum.status") for part in ("-e", name)
    ]
    run = subprocess.run(
        ["tshark", "-r", "a.pcapng", "-o", "tcp.check_checksum:TRUE", "-Y", "tcp", "-T", "fields", *fields],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split("\t") for line in run.stdout.splitlines()]
    assert [row[0] for row in rows if row[0]] == ["0", "0", "2", "2"]
    assert {(row[1], row[2]) for row in rows} == {("", "1")}
