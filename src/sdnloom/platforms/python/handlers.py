"""The handlers of a plain-Python program: their names, the handle by which they send, and what each input calls."""

import traceback
from collections.abc import Callable, Mapping
from typing import Any

from sdnloom.errors import SdnloomError
from sdnloom.network.network import plain_arguments
from sdnloom.network.openflow import (
    NO_BUFFER,
    ApplyActions,
    BarrierReply,
    Error,
    FlowMod,
    FlowRemoved,
    Match,
    OpenFlowAction,
    OpenFlowMessage,
    Output,
    PacketIn,
    PacketOut,
    Port,
    PortStatus,
    StatsReply,
)
from sdnloom.network.program import Call, Input, MessageIn, SwitchDown, SwitchUp, TimerInput

HANDLERS = (
    "packet_in",
    "switch_join",
    "switch_leave",
    "port_status",
    "flow_removed",
    "stats",
    "barrier_reply",
    "error",
    "timer",
    "external",
)
_BY_MESSAGE: tuple[tuple[type[OpenFlowMessage], str], ...] = (
    (PacketIn, "packet_in"),
    (PortStatus, "port_status"),
    (FlowRemoved, "flow_removed"),
    (StatsReply, "stats"),
    (BarrierReply, "barrier_reply"),
    (Error, "error"),
)


class ProgramError(SdnloomError):
    """A class that is no controller program, or cannot be started."""


class Net:
    """The handle by which a handler sends messages. They are recorded, and sent when the handler returns."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, OpenFlowMessage]] = []

    def send(self, switch: str, message: OpenFlowMessage) -> None:
        """Send any message to a switch."""
        self.messages.append((switch, message))

    def packet_out(self, switch: str, message: PacketIn, *actions: OpenFlowAction) -> None:
        """Apply actions to the packet of a PacketIn: the buffered one or, if the switch buffered none, its data."""
        kept = message.buffer_id != NO_BUFFER
        self.send(
            switch,
            PacketOut(tuple(actions), b"" if kept else message.data, message.in_port, message.buffer_id),
        )

    def flood(self, switch: str, message: PacketIn) -> None:
        """Send the packet of a PacketIn out of all ports but the one it came from."""
        self.packet_out(switch, message, Output(Port.FLOOD))

    def install(
        self,
        switch: str,
        match: Match,
        *actions: OpenFlowAction,
        release: PacketIn | None = None,
        priority: int = 0x8000,
        idle_timeout: int = 0,
        hard_timeout: int = 0,
        flags: int = 0,
    ) -> None:
        """Add a flow entry; with `release` the packet of that PacketIn goes the same way."""
        kept = release is not None and release.buffer_id != NO_BUFFER
        self.send(
            switch,
            FlowMod(
                match,
                instructions=(ApplyActions(tuple(actions)),) if actions else (),
                priority=priority,
                idle_timeout=idle_timeout,
                hard_timeout=hard_timeout,
                buffer_id=release.buffer_id if release is not None else NO_BUFFER,
                flags=flags,
            ),
        )
        if release is not None and not kept:
            self.packet_out(switch, release, *actions)


def call_of(given: Input) -> tuple[str, tuple[Any, ...]]:
    """Return the handler's name and its arguments after `net`."""
    if isinstance(given, SwitchUp):
        return "switch_join", (given.switch, given)
    if isinstance(given, SwitchDown):
        return "switch_leave", (given.switch,)
    if isinstance(given, TimerInput):
        return "timer", (given.name,)
    if isinstance(given, Call):
        return "external", (given.name, *plain_arguments(given.arguments))
    assert isinstance(given, MessageIn)
    name = next((name for kind, name in _BY_MESSAGE if isinstance(given.message, kind)), "")
    return name, (given.switch, given.message)


def handlers_of(kind: type) -> Mapping[str, Callable[..., Any]]:
    """Return the handlers of a class by name; raise ProgramError if it is no class or has none."""
    if not isinstance(kind, type):
        raise ProgramError(f"{kind!r} is no controller program; expected a class")
    handlers = {name: getattr(kind, name) for name in HANDLERS if callable(getattr(kind, name, None))}
    if not handlers:
        raise ProgramError(f"class {kind.__name__} handles nothing; expected one of {', '.join(HANDLERS)}")
    return handlers


def raising_line(handler: Callable[..., Any], error: BaseException) -> tuple[str, int]:
    """Return the innermost line of the handler's file that an exception passed: the whole path, and the number."""
    code = getattr(handler, "__code__", None)
    own = code.co_filename if code is not None else None
    frames = traceback.extract_tb(error.__traceback__)
    frame = next((each for each in reversed(frames) if each.filename == own), frames[-1])
    return frame.filename, frame.lineno or 0
