"""Every deliberate difference between the model and Open vSwitch, each decided by the specification.

A rule recognises one difference exactly, and says with which states of the model the comparison goes on: the two
switches are in corresponding states again, or there are none and the sequence ends. docs/switch.md lists the same
names with the paragraphs that decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

from sdnloom.network.openflow import (
    V10,
    Error,
    FlowFlag,
    FlowMod,
    GroupCommand,
    GroupMod,
    PacketIn,
)
from sdnloom.network.packet import Icmp, Icmpv6, Packet, Vlan, decode
from sdnloom.network.switch import GroupEntry, Outcome, Switch, SwitchCore, pipeline, receive_message
from sdnloom.network.switch.rewrite import push_vlan, set_field
from sdnloom.network.switch.turn import Turn
from tests.network.switch.sequences import Send, Stimulus
from tests.network.switch.views import View, view_of_model


@dataclass(frozen=True)
class Step:
    """One stimulus, one state of the model before it, what the model did and what Open vSwitch did."""

    config: Switch
    stimulus: Stimulus
    before: SwitchCore
    after: SwitchCore
    model: View
    real: View
    run: Callable[[SwitchCore], tuple[Outcome, ...]]


@dataclass(frozen=True)
class Deviation:
    """A named difference: `resume` gives the states to go on with, or None when this is not it."""

    name: str
    resume: Callable[[Step], list[SwitchCore] | None]


def _refused(view: View, type_name: str, code: str) -> bool:
    return any(
        isinstance(message, Error) and (message.type, message.code) == (type_name, code) for message in view.messages
    )


def _overlap_with_itself(step: Step) -> list[SwitchCore] | None:
    """Open vSwitch replaces an entry of the same match where the overlap check would refuse any overlapping one."""
    if not isinstance(step.stimulus, Send) or not isinstance(step.stimulus.message, FlowMod):
        return None
    message = step.stimulus.message
    if not _refused(step.model, "flow_mod_failed", "overlap") or step.real.messages:
        return None
    kept = tuple(
        entry for entry in step.before.flows if entry.match != message.match or entry.table != message.table_id
    )
    alone = receive_message(step.config, replace(step.before, flows=kept), message)[0]
    if any(isinstance(each, Error) for each in alone.messages):
        return None  # another entry overlaps too
    unchecked = replace(message, flags=message.flags & ~FlowFlag.CHECK_OVERLAP)
    outcome = receive_message(step.config, step.before, unchecked)[0]
    return [outcome.core if step.config.version == V10 else _with_flags(outcome.core, message)]


def _with_flags(core: SwitchCore, message: FlowMod) -> SwitchCore:
    key = (message.table_id, message.match, message.priority)
    flows = (
        replace(entry, flags=message.flags) if (entry.table, entry.match, entry.wire_priority) == key else entry
        for entry in core.flows
    )
    return replace(core, flows=tuple(flows))


def _twin(module: object, name: str, other: Callable[..., Any]) -> Callable[[Step], list[SwitchCore] | None]:
    """Return a rule that says: the model with this one function as Open vSwitch has it does what Open vSwitch did."""

    def resume(step: Step) -> list[SwitchCore] | None:
        with patch.object(module, name, other):
            outcomes = step.run(step.before)
        return [outcome.core for outcome in outcomes if view_of_model(outcome) == step.real] or None

    return resume


def _set_any_transport(packet: Packet, name: str, value: int) -> Packet:
    """Open vSwitch of 1.0 writes ICMP type and code where told to set the TCP or UDP ports."""
    changed = set_field(packet, name, value)
    if changed == packet and name in ("tp_src", "tp_dst"):
        attribute = {"tp_src": "type", "tp_dst": "code"}[name]
        headers = tuple(
            replace(header, **{attribute: value & 0xFF}) if isinstance(header, Icmp | Icmpv6) else header
            for header in packet.headers
        )
        return replace(packet, headers=headers)
    return changed


def _push_empty_tag(packet: Packet, ethertype: int) -> Packet:
    """Open vSwitch pushes a tag of zeros also on a packet that has one."""
    return set_field(set_field(push_vlan(packet, ethertype), "vlan_vid", 0), "vlan_pcp", 0)


def _group_in_bucket(step: Step) -> list[SwitchCore] | None:
    """Open vSwitch accepts a bucket that leads to a group which is not there."""
    if not isinstance(step.stimulus, Send) or not isinstance(step.stimulus.message, GroupMod):
        return None
    message = step.stimulus.message
    if not _refused(step.model, "bad_action", "bad_out_group") or step.real.messages:
        return None
    assert message.command != GroupCommand.DELETE
    others = [group for group in step.before.groups if group.group_id != message.group_id]
    groups = sorted(
        [*others, GroupEntry(message.group_id, message.type, message.buckets)], key=lambda each: each.group_id
    )
    return [replace(step.before, groups=tuple(groups))]


def _execute_set_after_miss(turn: Turn, flight: pipeline.Flight, table: int) -> None:
    """Open vSwitch executes the action set of a packet that a later table does not match."""
    pipeline._execute_set(turn, flight, flight.action_set.values())


def _third_tag(step: Step) -> list[SwitchCore] | None:
    """Open vSwitch has room for two VLAN tags: it refuses to push more where it can see that, else it loses one."""
    frames = [frame for _, frames in step.model.frames for frame in frames]
    frames += [message.data for message in step.model.messages if isinstance(message, PacketIn)]
    tags = [sum(isinstance(header, Vlan) for header in decode(frame).headers) for frame in frames]
    return [] if _refused(step.real, "bad_action", "bad_tag") or any(count > 2 for count in tags) else None


DEVIATIONS = (
    Deviation("action-set-after-miss", _twin(pipeline, "_miss", _execute_set_after_miss)),
    Deviation("third-tag", _third_tag),
    Deviation("overlap-with-itself", _overlap_with_itself),
    Deviation("ports-of-icmp", _twin(pipeline, "set_field", _set_any_transport)),
    Deviation("push-copies-tag", _twin(pipeline, "push_vlan", _push_empty_tag)),
    Deviation("group-in-bucket", _group_in_bucket),
)
