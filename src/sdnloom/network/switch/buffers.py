"""Packets kept for the controller. Ids are the lowest free ones, so that histories which end alike are equal."""

from sdnloom.network.openflow import NO_BUFFER, NO_TRUNCATION, V10
from sdnloom.network.packet import Packet
from sdnloom.network.switch.core import BufferedPacket
from sdnloom.network.switch.step import RefusedMessage, SwitchStep


def buffer_packet(step: SwitchStep, packet: Packet, in_port: int, max_len: int) -> int:
    """Return the id under which the packet now waits, or NO_BUFFER when it does not.

    It does not when 1.3's controller asked for whole packets (OFPCML_NO_BUFFER), or when no buffer is free.
    """
    if step.config.buffers == 0 or (step.config.version != V10 and max_len == NO_TRUNCATION):
        return NO_BUFFER
    step.writes.add("buffers")
    step.reads.add("time")
    buffers = step.core.buffers
    # Sorted by id without gaps before the first free one.
    free = next((place for place, each in enumerate(buffers) if each.buffer_id != place), len(buffers))
    if free >= step.config.buffers:
        return NO_BUFFER
    kept = BufferedPacket(free, in_port, packet, step.config.buffer_timeout)
    step.update(buffers=(*buffers[:free], kept, *buffers[free:]))
    return free


def take_buffered(step: SwitchStep, buffer_id: int) -> BufferedPacket:
    """Return a waiting packet, which waits no longer.

    An id that this switch never gives is unknown; one that it gives, but not now, was used already or expired.
    """
    step.writes.add("buffers")
    for waiting in step.core.buffers:
        if waiting.buffer_id == buffer_id:
            step.update(buffers=tuple(each for each in step.core.buffers if each is not waiting))
            return waiting
    raise RefusedMessage("bad_request", "buffer_empty" if buffer_id < step.config.buffers else "buffer_unknown")
