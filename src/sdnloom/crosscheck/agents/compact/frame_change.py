"""What the actions that change a packet do to its frame."""

from sdnloom.crosscheck.agents.compact.actions import ActionKinds, CompactAction
from sdnloom.crosscheck.agents.compact.frame import CompactFrame
from sdnloom.crosscheck.agents.compact.wire import octets_of


def changed_frame(action: CompactAction, data: bytes) -> bytes | None:
    """Return a packet as an action that is no output leaves it, or None if its time to live is over."""
    frame, kind, value = CompactFrame(data), action.kind, action.argument
    if kind == ActionKinds.SET_VLAN:
        return frame.with_vlan(value)
    if kind == ActionKinds.SET_PRIORITY:
        return frame.with_priority(value)
    if kind == ActionKinds.STRIP_TAG:
        return frame.without_tag()
    if kind == ActionKinds.SET_SERVICE:
        return frame.with_service(value)
    if kind in (ActionKinds.SET_SOURCE, ActionKinds.SET_TARGET):
        return frame.with_address(12 if kind == ActionKinds.SET_SOURCE else 16, value)
    if kind in (ActionKinds.SET_SOURCE_PORT, ActionKinds.SET_TARGET_PORT):
        return frame.with_transport_port(0 if kind == ActionKinds.SET_SOURCE_PORT else 2, value)
    if kind in (ActionKinds.SET_LINK_SOURCE, ActionKinds.SET_LINK_TARGET) and len(data) >= 14:
        return frame.with_octets(6 if kind == ActionKinds.SET_LINK_SOURCE else 0, octets_of(value, 6))
    return _changed_by_13(kind, value, frame)


def _changed_by_13(kind: int, value: int, frame: CompactFrame) -> bytes | None:
    if kind == ActionKinds.PUSH_TAG:
        return frame.with_pushed_tag(value)
    if kind == ActionKinds.SET_CONGESTION:
        return frame.with_congestion(value)
    if kind == ActionKinds.SET_TTL:
        return frame.with_ttl(value)
    if kind == ActionKinds.LOWER_TTL and frame.is_ip():
        return None if frame.ttl() <= 1 else frame.with_ttl(frame.ttl() - 1)
    return frame.data
