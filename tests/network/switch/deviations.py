"""Every deliberate difference between the model and Open vSwitch, each decided by the specification.

A rule recognises one difference exactly, and says with which states of the model the comparison goes on: the two
switches are in corresponding states again, or there are none and the sequence ends. docs/switch.md lists the same
names with the paragraphs that decide.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any
from unittest.mock import patch

from sdnloom.network.openflow import (
    V10,
    Error,
    FlowCommand,
    FlowFlag,
    FlowMod,
    FlowStatsReply,
    GroupCommand,
    GroupMod,
    OpenFlowAction,
    Output,
    PacketIn,
    PacketInReason,
    PacketOut,
    Port,
    PortConfig,
    PortState,
    SetConfig,
    SetField,
)
from sdnloom.network.packet import Icmp, Icmpv6, Packet, Vlan, decode
from sdnloom.network.switch import GroupEntry, Switch, SwitchCore, SwitchOutcome, handlers, pipeline, receive_message
from sdnloom.network.switch.core import EXACT
from sdnloom.network.switch.normal import learn
from sdnloom.network.switch.rewrite import push_vlan, set_field
from sdnloom.network.switch.step import SwitchStep
from sdnloom.network.switch.tables import flow_mod as flowmod
from sdnloom.network.switch.tables.flow_table import entry_cell, instruction_actions
from sdnloom.network.switch.tables.lookup import is_fragment, packet_fields
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
    run: Callable[[SwitchCore], list[SwitchOutcome]]


@dataclass(frozen=True)
class Deviation:
    """A named difference: `resume` returns the states to continue with, or None if the difference is another one."""

    name: str
    resume: Callable[[Step], list[SwitchCore] | None]


def _refused(view: View, type_name: str, code: str) -> bool:
    return any(
        isinstance(message, Error) and (message.type, message.code) == (type_name, code) for message in view.messages
    )


def _overlap_with_itself(step: Step) -> list[SwitchCore] | None:
    """Open vSwitch replaces an entry of the same match and priority without any overlap check."""
    message = step.stimulus.message if isinstance(step.stimulus, Send) else None
    if not isinstance(message, FlowMod) or not _refused(step.model, "flow_mod_failed", "overlap"):
        return None
    unchecked = replace(message, flags=message.flags & ~FlowFlag.CHECK_OVERLAP)
    outcome = receive_message(step.config, step.before, unchecked)[0]
    if step.real.messages or len(outcome.core.flows) != len(step.before.flows):
        return None
    return [outcome.core if step.config.version == V10 else _with_flags(outcome.core, message)]


def _with_flags(core: SwitchCore, message: FlowMod) -> SwitchCore:
    key = (message.table_id, message.match, message.priority)
    flows = (
        replace(entry, flags=message.flags) if (entry.table, entry.match, entry.wire_priority) == key else entry
        for entry in core.flows
    )
    return replace(core, flows=tuple(flows))


def _set_any_transport(packet: Packet, name: str, value: int) -> Packet:
    """Open vSwitch of 1.0 writes ICMP type and code for actions that set the TCP or UDP ports."""
    changed = set_field(packet, name, value)
    if changed == packet and name in ("tp_src", "tp_dst"):
        attribute = {"tp_src": "type", "tp_dst": "code"}[name]
        headers = tuple(
            replace(header, **{attribute: value & 0xFF}) if isinstance(header, Icmp | Icmpv6) else header
            for header in packet.headers
        )
        return replace(packet, headers=headers)
    return changed


def _fields_with_zero_ports(
    packet: Packet, in_port: int = 0, metadata: int = 0, zero_ports: bool = False
) -> dict[str, int]:
    """Open vSwitch of 1.3 matches the transport fields that a fragment lacks as if they were 0."""
    return packet_fields(packet, in_port, metadata, zero_ports=True)


def _push_empty_tag(packet: Packet, ethertype: int) -> Packet:
    """Open vSwitch pushes a tag of zeros also on a packet that has one. Its bridge learns from that tag."""
    return set_field(set_field(push_vlan(packet, ethertype), "vlan_vid", 0), "vlan_pcp", 0)


def _same_flight(flight: pipeline.Flight) -> pipeline.Flight:
    """Open vSwitch sends the packet itself through the tables, so later actions see what became of it."""
    return flight


class _LateSet:
    """Open vSwitch executes the action set that TABLE filled when all actions of the PacketOut are done."""

    def __init__(self) -> None:
        self.flights: list[pipeline.Flight] = []

    def through_tables(self, step: SwitchStep, flight: pipeline.Flight, table: int = 0) -> None:
        self.flights.append(flight)
        entry = pipeline._look_up(step, flight, table)
        if entry is None:
            pipeline._miss(step, flight, table)
        elif (following := pipeline.execute_entry(step, flight, entry)) is not None and flight.alive:
            self.through_tables(step, flight, following)

    def learn(self, step: SwitchStep) -> None:
        for flight in self.flights[:1]:
            flight.table, flight.cookie, flight.reason = 0, pipeline.NO_COOKIE, PacketInReason.ACTION
            if flight.alive:
                pipeline._execute_set(step, flight, flight.action_set.values())
        self.flights.clear()
        learn(step)


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


def _execute_set_after_miss(step: SwitchStep, flight: pipeline.Flight, table: int) -> None:
    """Open vSwitch executes the action set of a packet that a later table does not match."""
    pipeline._execute_set(step, flight, flight.action_set.values())


def _third_tag(step: Step) -> list[SwitchCore] | None:
    """Open vSwitch has room for two VLAN tags: it refuses to push more where it can see that, else it loses one."""
    with patch.object(pipeline, "_miss", _execute_set_after_miss):  # such packets are seen there only
        views = [step.model, *(view_of_model(outcome) for outcome in step.run(step.before))]
    return [] if _refused(step.real, "bad_action", "bad_tag") or max(map(_most_tags, views)) > 2 else None


def _group_loop(step: Step) -> list[SwitchCore] | None:
    """Open vSwitch accepts groups that lead to each other; packets in them go round until it gives up."""
    return [] if _refused(step.model, "group_mod_failed", "loop") and not step.real.messages else None


def _chained_group(step: Step) -> list[SwitchCore] | None:
    """Open vSwitch deletes a group that another one leads to."""
    if not _refused(step.model, "group_mod_failed", "chained_group"):
        return None
    assert isinstance(step.stimulus, Send)
    assert isinstance(step.stimulus.message, GroupMod)
    gone = step.stimulus.message.group_id
    alone = replace(step.before, groups=tuple(each for each in step.before.groups if each.group_id == gone))
    outcome = step.run(alone)[0]
    left = tuple(each for each in step.before.groups if each.group_id != gone)
    return [replace(outcome.core, groups=left)] if view_of_model(outcome) == step.real else None


def _never_a_port(step: Step) -> list[SwitchCore] | None:
    """Open vSwitch accepts outputs to port 0, and to TABLE outside of a PacketOut."""
    message = step.stimulus.message if isinstance(step.stimulus, Send) else None
    if isinstance(message, FlowMod):
        actions = instruction_actions(message.instructions)
    elif isinstance(message, GroupMod):
        actions = [action for bucket in message.buckets for action in bucket.actions]
    else:
        actions = list(message.actions) if isinstance(message, PacketOut) else []
    odd = any(isinstance(action, Output) and action.port in (0, Port.TABLE) for action in actions)
    return [] if odd and _refused(step.model, "bad_action", "bad_out_port") else None


def _reassembly(step: Step) -> list[SwitchCore] | None:
    """Open vSwitch of 1.3 ignores a demand to reassemble fragments that it does not offer."""
    message = step.stimulus.message if isinstance(step.stimulus, Send) else None
    if not isinstance(message, SetConfig) or not _refused(step.model, "switch_config_failed", "bad_flags"):
        return None
    kept = step.before.settings
    return [replace(step.before, settings=replace(kept, miss_send_len=message.miss_send_len))]


def _exact_among_equals(step: Step) -> list[SwitchCore] | None:
    """Open vSwitch of 1.0 gives an entry without wildcards the highest priority, where others may be too."""

    def at(level: int, core: SwitchCore, former: int) -> SwitchCore:
        flows = (replace(entry, priority=level) if entry.priority == former else entry for entry in core.flows)
        return replace(core, flows=tuple(sorted(flows, key=lambda entry: entry.order)))

    exact = {entry.match for entry in (*step.before.flows, *step.after.flows) if entry.priority == EXACT}
    if not exact or any(entry.priority == 0xFFFF and entry.match in exact for entry in step.before.flows):
        return None
    found = []
    with patch.object(flowmod, "EXACT", 0xFFFF):
        outcomes = step.run(at(0xFFFF, step.before, EXACT))
    for outcome in outcomes:
        if view_of_model(outcome) == step.real:
            flows = (replace(entry, priority=EXACT) if entry.match in exact else entry for entry in outcome.core.flows)
            found.append(replace(outcome.core, flows=tuple(sorted(flows, key=lambda entry: entry.order))))
    return found or None


def restart_hard_timers(stimulus: Stimulus, before: SwitchCore, outcome: SwitchOutcome) -> SwitchOutcome:
    """Open vSwitch starts the hard timer again when an entry is modified: nothing shows it until the entry expires.

    The one difference that a step does not show, so it is applied to every modify and not looked for.
    """
    message = stimulus.message if isinstance(stimulus, Send) else None
    if not isinstance(message, FlowMod) or message.command not in (FlowCommand.MODIFY, FlowCommand.MODIFY_STRICT):
        return outcome
    known = {entry.key for entry in before.flows}
    flows = tuple(
        replace(entry, hard_left=entry.hard_timeout * 1000 or None)
        if entry.key in known and entry_cell(entry) in outcome.writes
        else entry
        for entry in outcome.core.flows
    )
    return replace(outcome, core=replace(outcome.core, flows=flows))


def _actions(step: Step) -> list[OpenFlowAction]:
    """Return all actions that a packet may meet in this step."""
    actions = [action for entry in step.before.flows for action in instruction_actions(entry.instructions)]
    actions += [action for group in step.before.groups for bucket in group.buckets for action in bucket.actions]
    message = step.stimulus.message if isinstance(step.stimulus, Send) else None
    return actions + (list(message.actions) if isinstance(message, PacketOut) else [])


def _most_tags(view: View) -> int:
    frames = [frame for _, frames in view.frames for frame in frames]
    frames += [message.data for message in view.messages if isinstance(message, PacketIn)]
    return max((sum(isinstance(header, Vlan) for header in decode(frame).headers) for frame in frames), default=0)


def _bridge_of_two_tags(step: Step) -> list[SwitchCore] | None:
    """NORMAL of Open vSwitch has its own ways with two VLAN tags; OpenFlow leaves NORMAL to the switch."""
    bridged = any(isinstance(action, Output) and action.port == Port.NORMAL for action in _actions(step))
    return [] if bridged and _most_tags(step.model) > 1 else None


def _icmp_of_fragment(step: Step) -> list[SwitchCore] | None:
    """Open vSwitch accepts to set ICMP type and code of a fragment, which has none, and does nothing then."""
    message = step.stimulus.message if isinstance(step.stimulus, Send) else None
    if not isinstance(message, PacketOut) or not is_fragment(decode(message.data)):
        return None
    rest = tuple(each for each in message.actions if not (isinstance(each, SetField) and "icmp" in each.field))
    outcomes = receive_message(step.config, step.before, replace(message, actions=rest))
    agreeing = [outcome.core for outcome in outcomes if _unquoted(view_of_model(outcome)) == _unquoted(step.real)]
    return agreeing or None


def _unquoted(view: View) -> View:
    """Return the view with errors that do not quote the message they are about."""
    messages = (replace(each, data=b"") if isinstance(each, Error) else each for each in view.messages)
    return View(view.frames, tuple(messages))


def _without_port_bit(bit: PortConfig) -> Callable[[Step], list[SwitchCore] | None]:
    """Return the rule that the model without this bit on all ports does what Open vSwitch did."""

    def resume(step: Step) -> list[SwitchCore] | None:
        if step.before.ports is None or not any(port.config & bit for port in step.before.ports):
            return None
        link = PortState.LINK_DOWN if bit == PortConfig.PORT_DOWN else 0  # goes with the port
        cleared = tuple(
            replace(port, config=port.config & ~int(bit), state=int(port.state & ~link)) for port in step.before.ports
        )
        outcomes = step.run(replace(step.before, ports=cleared))
        agreeing = [outcome.core for outcome in outcomes if view_of_model(outcome) == step.real]
        return [replace(core, ports=step.before.ports) for core in agreeing] or None

    return resume


def _deaf_port(step: Step) -> list[SwitchCore] | None:
    """Open vSwitch drops also what the controller sends in the name of a port that does not receive."""
    message = step.stimulus.message if isinstance(step.stimulus, Send) else None
    if not isinstance(message, PacketOut) or step.before.ports is None or step.real != View((), ()):
        return None
    deaf = [port.port_no for port in step.before.ports if port.config & PortConfig.NO_RECV]
    return [step.before] if message.in_port in deaf else None


def _counted_though_dropped(step: Step) -> list[SwitchCore] | None:
    """Open vSwitch looks a packet up, and counts it, before it drops it for the port that does not receive."""
    if step.before.ports is None or not any(port.config & PortConfig.NO_RECV for port in step.before.ports):
        return None
    return [] if _uncounted(step.model) == _uncounted(step.real) else None


def _uncounted(view: View) -> View:
    messages = (
        replace(message, flows=tuple(replace(flow, packet_count=0, byte_count=0) for flow in message.flows))
        if isinstance(message, FlowStatsReply)
        else message
        for message in view.messages
    )
    return View(view.frames, tuple(messages))


def _reason_behind_packet_out(step: Step) -> list[SwitchCore] | None:
    """Open vSwitch of 1.3 calls all that a PacketOut brings back to the controller an action, a miss as well."""
    if not isinstance(step.stimulus, Send) or not isinstance(step.stimulus.message, PacketOut):
        return None
    action = int(PacketInReason.ACTION)
    expected = (
        replace(message, reason=action) if isinstance(message, PacketIn) else message for message in step.model.messages
    )
    same = View(step.model.frames, tuple(expected)) == step.real and step.config.version != V10
    return [step.after] if same else None


def _hidden_entries(step: Step) -> list[SwitchCore] | None:
    """Open vSwitch keeps entries of its own, with cookie 0, and refuses to delete all entries of that cookie."""
    message = step.stimulus.message if isinstance(step.stimulus, Send) else None
    odd = isinstance(message, FlowMod) and message.table_id == 0xFF and message.cookie_mask
    return [step.before] if odd and _refused(step.real, "bad_request", "eperm") else None


def keeps_idle_timer(stimulus: Stimulus, before: SwitchCore) -> bool:
    """Return whether an entry is replaced by one with an idle timeout after time has passed.

    Open vSwitch takes the last use of the old entry for that of the new one, which may then be over at once, whenever
    it looks. No step shows that, so the sequence ends here.
    """
    message = stimulus.message if isinstance(stimulus, Send) else None
    if not isinstance(message, FlowMod) or message.command != FlowCommand.ADD or not message.idle_timeout:
        return False
    key = (message.table_id, message.match)
    return any((entry.table, entry.match) == key and entry.age for entry in before.flows)


IDLE_TIMER_OF_REPLACEMENT = "idle-timer-of-replacement"
# Name -> function that the model always runs with: what these change can show much later.
ALWAYS: dict[str, tuple[object, str, Callable[..., Any]]] = {
    "push-copies-tag": (pipeline, "push_vlan", _push_empty_tag),
    "zeros-in-fragment": (pipeline, "packet_fields", _fields_with_zero_ports),
}
HARD_TIMER_OF_MODIFY = "hard-timer-of-modify"
_LATE = _LateSet()
# Name -> what to put in the place of which functions of the model; several of these can show in one step.
TWINS: dict[str, tuple[tuple[object, str, Callable[..., Any]], ...]] = {
    "action-set-after-miss": ((pipeline, "_miss", _execute_set_after_miss),),
    "ports-of-icmp": ((pipeline, "set_field", _set_any_transport),),
    "changes-behind-table": (
        (pipeline, "_copy", _same_flight),
        (pipeline, "through_tables", _LATE.through_tables),
        (handlers, "learn", _LATE.learn),
    ),
}


def twins(step: Step) -> tuple[tuple[str, ...], list[SwitchCore]] | None:
    """Return the fewest twins that together make the model do what Open vSwitch did, and the states after that."""
    for count in range(1, len(TWINS) + 1):
        for names in combinations(TWINS, count):
            with ExitStack() as stack:
                for module, name, other in (each for twin in names for each in TWINS[twin]):
                    stack.enter_context(patch.object(module, name, other))
                outcomes = step.run(step.before)
            cores = [outcome.core for outcome in outcomes if view_of_model(outcome) == step.real]
            if cores:
                return names, cores
    return None


DEVIATIONS = (
    Deviation("third-tag", _third_tag),
    Deviation("overlap-with-itself", _overlap_with_itself),
    Deviation("group-in-bucket", _group_in_bucket),
    Deviation("reason-behind-packet-out", _reason_behind_packet_out),
    Deviation("no-packet-in", _without_port_bit(PortConfig.NO_PACKET_IN)),
    Deviation("down-port", _without_port_bit(PortConfig.PORT_DOWN)),
    Deviation("deaf-port", _deaf_port),
    Deviation("counted-though-dropped", _counted_though_dropped),
    Deviation("bridge-of-two-tags", _bridge_of_two_tags),
    Deviation("icmp-of-fragment", _icmp_of_fragment),
    Deviation("hidden-entries", _hidden_entries),
    Deviation("group-loop", _group_loop),
    Deviation("chained-group", _chained_group),
    Deviation("never-a-port", _never_a_port),
    Deviation("reassembly", _reassembly),
    Deviation("exact-among-equals", _exact_among_equals),
)
