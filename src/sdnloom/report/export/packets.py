"""A finding as a pcapng capture: the packets on each link, and the OpenFlow messages of each switch.

A link is an interface with the names of its ends. A control connection is another one: a TCP connection made for it,
to port 6653, so that Wireshark decodes the messages. A packet is there when it is sent, as many milliseconds after the
start as the number of the step; its comment is the step. What has no octets, such as a packet of an actor's program,
is left out.
"""

from typing import Final

from sdnloom.report.export.sequence import finding_title, flat_text
from sdnloom.report.pcapng import CONTROLLER_SIDE, INBOUND, OUTBOUND, Capture, CapturedConnection, switch_side
from sdnloom.report.view.result_view import FindingView, ResultView, StepView, TraceView, TransferView

_MILLISECOND: Final = 1000
_SWITCHES: Final = ("switch", "agent")


def packets_pcapng(view: ResultView, finding: FindingView | None) -> bytes:
    """The capture of one finding; without one it has no packets."""
    title = flat_text(view.headline) if finding is None else finding_title(view, finding)
    trace = None if finding is None else finding.trace
    return _TraceCapture(Capture(title), trace).contents()


class _TraceCapture:
    """Writes the transfers of one trace."""

    def __init__(self, capture: Capture, trace: TraceView | None) -> None:
        self._capture = capture
        self._connections: dict[str, CapturedConnection] = {}
        self._kinds = {lane.name: lane.kind for lane in trace.lanes} if trace else {}
        steps = trace.steps if trace else ()
        for step in steps:  # connections are open before the first step
            for sent in step.transfers:
                if sent.kind == "openflow" and sent.data:
                    self._connection(step.lane, sent.to)
        for step in steps:
            capture.at(step.number * _MILLISECOND)
            for sent in step.transfers:
                if sent.data and sent.kind in ("packet", "openflow"):
                    self._add(step, sent)

    def contents(self) -> bytes:
        return self._capture.contents()

    def _add(self, step: StepView, sent: TransferView) -> None:
        fate = "" if sent.taken is None or sent.taken == step.number else f" (received in step {sent.taken})"
        lost = " (not received)" if sent.taken is None else ""
        comment = flat_text(f"step {step.number}: {step.text}{fate}{lost}")
        if sent.kind == "openflow":
            from_controller = self._is_controller(step.lane, sent.to)
            self._connection(step.lane, sent.to).send(int(from_controller), sent.data, comment)
            return
        ends = sorted([(step.lane, sent.port), (sent.to, sent.to_port)])
        interface = self._capture.interface(" - ".join(f"{lane}:{port}" if port else lane for lane, port in ends))
        direction = OUTBOUND if ends[0] == (step.lane, sent.port) else INBOUND
        self._capture.add(interface, sent.data, direction, comment)

    def _is_controller(self, sender: str, receiver: str) -> bool:
        """Whether the sender is the controller's side of a connection, as the test of a crosscheck is."""
        if (self._kinds[sender] in _SWITCHES) != (self._kinds[receiver] in _SWITCHES):
            return self._kinds[receiver] in _SWITCHES
        return sender < receiver

    def _connection(self, sender: str, receiver: str) -> CapturedConnection:
        switch, controller = (receiver, sender) if self._is_controller(sender, receiver) else (sender, receiver)
        name = f"{switch} - {controller}"
        if name not in self._connections:
            side = switch_side(len(self._connections) + 1)
            interface = self._capture.interface(name)
            self._connections[name] = CapturedConnection(self._capture, interface, side, CONTROLLER_SIDE)
        return self._connections[name]
