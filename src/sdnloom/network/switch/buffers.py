"""Packets buffered for the controller. A packet gets the lowest free id, so that equal buffers are equal values."""

from sdnloom.network.openflow import NO_BUFFER, NO_TRUNCATION, V10
from sdnloom.network.packet import Packet
from sdnloom.network.switch.core import BufferedPacket
from sdnloom.network.switch.step import RefusedMessage, SwitchStep


def buffer_packet(step: SwitchStep, packet: Packet, in_port: int, max_len: int) -> int:
    """Buffer a packet and return its id, or NO_BUFFER if it is not buffered.

    It is not buffered if the controller asked for whole packets (1.3, OFPCML_NO_BUFFER) or if no buffer is free.
    """
    if step.config.buffers == 0 or (step.config.version != V10 and max_len == NO_TRUNCATION):
        return NO_BUFFER
    step.writes.add("buffers")
    step.reads.add("time")
    buffers = step.core.buffers
    # Sorted by id without gaps before the first free one.
    free = next((number for number, each in enumerate(buffers) if each.buffer_id != number), len(buffers))
    if free >= step.config.buffers:
        return NO_BUFFER
    kept = BufferedPacket(free, in_port, packet, step.config.buffer_timeout)
    step.update(buffers=(*buffers[:free], kept, *buffers[free:]))
    return free


def take_buffered(step: SwitchStep, buffer_id: int) -> BufferedPacket:
    """Remove a packet from the buffers and return it.

    An id that this switch never gives is refused as unknown, an id without a packet as empty: used already or expired.
    """
    step.writes.add("buffers")
    for waiting in step.core.buffers:
        if waiting.buffer_id == buffer_id:
            step.update(buffers=tuple(each for each in step.core.buffers if each is not waiting))
            return waiting
    raise RefusedMessage("bad_request", "buffer_empty" if buffer_id < step.config.buffers else "buffer_unknown")
