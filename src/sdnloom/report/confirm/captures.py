"""The observed run as captures that Wireshark reads: one for each OpenFlow connection, one for each link and host port.

A packet is there when it was sent, at the real time; its comment is the step. Messages of a connection are in TCP
segments made for them, to port 6653, without those of the handshake. Frames of hosts are the model's.
"""

from collections.abc import Iterator
from typing import NamedTuple

from sdnloom.confirm.outcome import Confirmation, ObservedStep
from sdnloom.network.hosts.component import HostCore
from sdnloom.network.packet import encode
from sdnloom.network.topology.spec import SwitchPort, Topology
from sdnloom.report.confirm.observed_words import connection_of
from sdnloom.report.describe import Names, is_at_port
from sdnloom.report.export.sequence import flat_text
from sdnloom.report.file_name import file_names
from sdnloom.report.pcapng import CONTROLLER_SIDE, INBOUND, OUTBOUND, Capture, CapturedConnection, switch_side
from sdnloom.report.steps import short_texts

_SECOND = 1_000_000  # in the unit of captures
_CONTROLLER = "controller"
_IN = ".in"  # the end of the name of a channel that leads to a switch or a host


class _Frame(NamedTuple):
    """A frame at a port of a switch: sent by the switch, or by a host to it."""

    port: SwitchPort
    data: bytes
    by_switch: bool
    host: str = ""  # at the other end, if that is known


_Ends = tuple[str, ...]  # of a link or connection, in order: "s1:2", "h1", "controller"


class _Wire(NamedTuple):
    """A link between two switches, or the cable of a host."""

    ends: _Ends
    first: SwitchPort | None  # the port at the first end; None for a host


def run_captures(confirmed: Confirmation, topology: Topology) -> dict[str, bytes]:
    """The contents of each capture by the name of its file. Links without a frame have none."""
    return _RunCaptures(confirmed, topology).contents()


class _RunCaptures:
    """Writes the steps of one run."""

    def __init__(self, confirmed: Confirmation, topology: Topology) -> None:
        self._topology = topology
        self._start = round(confirmed.began * _SECOND)
        self._captures: dict[_Ends, Capture] = {}
        self._connections: dict[str, CapturedConnection] = {}
        for number, switch in enumerate(topology.switches, 1):
            ends = (switch.name, _CONTROLLER)
            capture, interface = self._opened(ends, self._start)
            self._connections[switch.name] = CapturedConnection(
                capture, interface, switch_side(number), CONTROLLER_SIDE
            )
        comments = _comments(confirmed.steps, Names.of(topology))
        for step, comment in zip(confirmed.steps, comments, strict=True):
            self._add(step, comment)

    def contents(self) -> dict[str, bytes]:
        stems = file_names([" ".join(ends).replace(":", "_") for ends in self._captures])
        return {f"{stem}.pcapng": each.contents() for stem, each in zip(stems, self._captures.values(), strict=True)}

    def _opened(self, ends: _Ends, now: int) -> tuple[Capture, int]:
        """The capture between two ends, ready for a packet at that time, and the number of its one interface."""
        if ends not in self._captures:
            self._captures[ends] = Capture(f"sdnloom confirm: {' and '.join(ends)}")
        capture = self._captures[ends]
        capture.at(now)
        return capture, capture.interface(" - ".join(ends))

    def _add(self, step: ObservedStep, comment: str) -> None:
        now = self._start + round(step.seconds * _SECOND)
        for sent in step.sent:
            connection = connection_of(sent)
            if connection is not None and connection[0] in self._connections:
                switch, from_controller = connection
                self._opened((switch, _CONTROLLER), now)
                self._connections[switch].send(int(from_controller), sent.data, comment)
        for frame in _frames(step):
            wire = self._wire(frame)
            capture, interface = self._opened(wire.ends, now)
            from_first = wire.first == frame.port if frame.by_switch else wire.first is None
            capture.add(interface, frame.data, OUTBOUND if from_first else INBOUND, comment)

    def _wire(self, frame: _Frame) -> _Wire:
        port, other = frame.port, self._topology.peers.get(frame.port)
        if other is not None:
            first, second = sorted((port, other))
            return _Wire((str(first), str(second)), first)
        plugged = [host.name for host in self._topology.hosts if host.switch_port == port]
        host = frame.host or next(iter(plugged), "")
        return _Wire((host, str(port)) if host else (str(port),), None if host else port)


def _frames(step: ObservedStep) -> Iterator[_Frame]:
    """The frames of a step: those that a switch sent, or those that a host of the model sends."""
    for sent in step.sent:
        if connection_of(sent) is None and sent.port is not None:
            host, leads, _ = sent.channel.partition(_IN)
            yield _Frame(sent.port, sent.data, by_switch=True, host=host if leads else "")
    outcome = step.transition.outcome
    if isinstance(outcome.core, HostCore):
        for channel, message in outcome.sends:
            if channel.endswith(_IN) and is_at_port(message):
                port = SwitchPort(channel.removesuffix(_IN), message[0])
                yield _Frame(port, encode(message[1]), by_switch=False, host=step.transition.step.component)


def _comments(steps: tuple[ObservedStep, ...], names: Names) -> Iterator[str]:
    """The comment of each step: its number and its words."""
    for startup in (True, False):
        some = [each for each in steps if each.startup is startup]
        for step, text in zip(some, short_texts([each.transition for each in some], names), strict=True):
            yield flat_text(f"{'start-up ' if startup else ''}step {step.number}: {text}")
