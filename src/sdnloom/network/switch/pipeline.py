"""Processing of a packet by flow tables, actions, the action set and groups."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from sdnloom.network.openflow import (
    NO_BUFFER,
    NO_TRUNCATION,
    V10,
    ApplyActions,
    ClearActions,
    ConfigFlag,
    CopyTtlIn,
    CopyTtlOut,
    DecMplsTtl,
    DecNwTtl,
    Enqueue,
    GotoTable,
    Group,
    GroupType,
    Match,
    Meter,
    OpenFlowAction,
    Output,
    PacketInReason,
    PopMpls,
    PopVlan,
    Port,
    PortConfig,
    PortDesc,
    PortState,
    PushMpls,
    PushVlan,
    SetField,
    SetMplsTtl,
    SetNwTtl,
    SetQueue,
    WriteActions,
    WriteMetadata,
)
from sdnloom.network.openflow.messages import Bucket, PacketIn
from sdnloom.network.packet import Packet, Vlan, encode
from sdnloom.network.switch.buffers import buffer_packet
from sdnloom.network.switch.core import EMERGENCY, FlowEntry, GroupEntry
from sdnloom.network.switch.counters import (
    count_group,
    count_hit,
    count_lookup,
    count_metered,
    count_received,
    count_sent,
)
from sdnloom.network.switch.decisions import BridgeLookup, TableLookup, TtlCheck
from sdnloom.network.switch.normal import normal_ports, without_empty_tag
from sdnloom.network.switch.rewrite import (
    copy_ttl,
    mpls_ttl_of,
    pop_mpls,
    pop_vlan,
    push_mpls,
    push_vlan,
    set_field,
    set_mpls_ttl,
    set_ttl,
    set_vlan,
    ttl_of,
)
from sdnloom.network.switch.step import Ambiguous, LocalDropped, SwitchStep
from sdnloom.network.switch.tables.flow_table import best_entries, entry_cell, put_entry
from sdnloom.network.switch.tables.lookup import is_fragment, packet_fields

NO_COOKIE = 0xFFFF_FFFF_FFFF_FFFF  # cookie of a PacketIn that no entry caused (1.3, 7.4.1)
MAX_CHAIN = 32  # length of a chain of groups; a longer one is refused as unsupported
MAX_COPIES = 4096  # copies of one packet in groups; chained groups could make exponentially many
_DEAD = PortState.LINK_DOWN | PortState.BLOCKED
# 1.3, 5.10: an action set is executed in this order, not in the order of writing.
_SET_ORDER: tuple[type[OpenFlowAction], ...] = (
    CopyTtlIn,
    PopVlan,
    PopMpls,
    PushMpls,
    PushVlan,
    CopyTtlOut,
    DecNwTtl,
    DecMplsTtl,
    SetNwTtl,
    SetMplsTtl,
    SetField,
    SetQueue,
    Group,
    Output,
)


@dataclass
class Flight:
    """A packet in the pipeline, with its metadata and action set. TABLE and groups work on copies.

    `rewritten` has the match fields that actions have set so far.
    """

    packet: Packet
    in_port: int
    received: Packet
    metadata: int = 0
    action_set: dict[object, OpenFlowAction] = field(default_factory=dict)
    table: int = 0
    cookie: int = NO_COOKIE
    reason: int = PacketInReason.ACTION
    alive: bool = True
    rewritten: frozenset[str] = frozenset()


_TAG = frozenset({"vlan_vid", "vlan_pcp"})
_LABEL = frozenset({"eth_type", "mpls_label", "mpls_tc", "mpls_bos"})
_TTL = frozenset({"ttl"})
_REWRITES: dict[type[OpenFlowAction], frozenset[str]] = {
    PushMpls: _LABEL,
    PopMpls: _LABEL,
    SetNwTtl: _TTL,
    CopyTtlIn: _TTL,
    CopyTtlOut: _TTL,
}
# What the fields of 1.0 that set a transport port, whatever its protocol, change.
SET_PORTS = {"tp_src": frozenset({"tcp_src", "udp_src"}), "tp_dst": frozenset({"tcp_dst", "udp_dst"})}


def process_packet(step: SwitchStep, in_port: int, packet: Packet) -> None:
    """Process a packet that arrives at a port. A port that is down or set not to receive drops it."""
    port = step.port(in_port)
    if port is None or port.config & (PortConfig.PORT_DOWN | PortConfig.NO_RECV) or port.state & _DEAD:
        return
    count_received(step, in_port, packet)
    step.reads.add("config")
    if step.core.settings.flags & 3 == ConfigFlag.FRAG_DROP and is_fragment(packet):
        return
    step.reads.add("connection")
    flight = Flight(packet, int(in_port), packet)
    if step.core.connected:
        through_tables(step, flight)
    elif not step.config.keeps_entries:
        through_tables(step, flight, EMERGENCY)
    elif step.config.fail_mode == "standalone":
        output(step, flight, Port.NORMAL, NO_TRUNCATION)
    else:
        through_tables(step, flight)


def through_tables(step: SwitchStep, flight: Flight, table: int = 0) -> None:
    """Send a packet through the tables, beginning with one of them, then execute its action set."""
    flight.action_set = {}
    following: int | None = table
    while following is not None and flight.alive:
        entry = _look_up(step, flight, following)
        if entry is None:
            _miss(step, flight, following)
            return
        following = execute_entry(step, flight, entry)
    if flight.alive:
        _execute_set(step, flight, flight.action_set.values())


def execute_entry(step: SwitchStep, flight: Flight, entry: FlowEntry) -> int | None:
    """Execute an entry's instructions; return the next table, or None."""
    flight.table, flight.cookie = entry.table, entry.cookie
    table_miss = step.config.version != V10 and not entry.match.fields and entry.priority == 0
    following = None
    for instruction in entry.instructions:
        if isinstance(instruction, Meter):
            count_metered(step, instruction.meter_id, flight.received)
        elif isinstance(instruction, ApplyActions):
            # The reason of a table-miss entry is a miss only for actions that it applies itself (1.3, 5.4).
            flight.reason = PacketInReason.NO_MATCH if table_miss else PacketInReason.ACTION
            apply_actions(step, flight, instruction.actions)
            flight.reason = PacketInReason.ACTION
        elif isinstance(instruction, ClearActions):
            flight.action_set = {}
        elif isinstance(instruction, WriteActions):
            for action in instruction.actions:
                flight.action_set[_slot(action)] = action
        elif isinstance(instruction, WriteMetadata):
            flight.metadata = flight.metadata & ~instruction.mask | instruction.metadata & instruction.mask
        elif isinstance(instruction, GotoTable):
            following = instruction.table_id
    return following


def apply_actions(step: SwitchStep, flight: Flight, actions: Iterable[OpenFlowAction]) -> None:
    """Apply actions in order, until one drops the packet (an expired time to live)."""
    for action in actions:
        if not flight.alive:
            return
        _apply_one(step, flight, action)
        if isinstance(action, SetField):
            flight.rewritten |= SET_PORTS.get(action.field, {action.field})
        elif isinstance(action, PushVlan | PopVlan):
            tags = sum(isinstance(header, Vlan) for header in flight.packet.headers)
            copied = tags > isinstance(action, PushVlan)  # a second tag copies the first; popped, it is the inner one
            flight.rewritten = flight.rewritten - _TAG if copied else flight.rewritten | _TAG
        elif (fields := _REWRITES.get(type(action))) is not None:
            flight.rewritten |= fields


def _apply_one(step: SwitchStep, flight: Flight, action: OpenFlowAction) -> None:
    if isinstance(action, Output):
        output(step, flight, action.port, action.max_len)
    elif isinstance(action, Enqueue):
        output(step, flight, action.port, NO_TRUNCATION)
    elif isinstance(action, SetField):
        adds_tag = step.config.version == V10 and action.field in ("vlan_vid", "vlan_pcp")
        flight.packet = (set_vlan if adds_tag else set_field)(flight.packet, action.field, action.value)
    elif isinstance(action, PushVlan):
        flight.packet = push_vlan(flight.packet, action.ethertype)
    elif isinstance(action, PopVlan):
        flight.packet = pop_vlan(flight.packet)
    elif isinstance(action, PushMpls):
        flight.packet = push_mpls(flight.packet, action.ethertype, not step.config.traits.full_mpls)
    elif isinstance(action, PopMpls):
        flight.packet = pop_mpls(flight.packet, action.ethertype)
    elif isinstance(action, SetMplsTtl):
        flight.packet = set_mpls_ttl(flight.packet, action.ttl)
    elif isinstance(action, DecMplsTtl):
        _lower_ttl(step, flight, mpls_ttl_of(flight.packet), set_mpls_ttl)
    elif isinstance(action, CopyTtlIn | CopyTtlOut):
        flight.packet = copy_ttl(flight.packet, inwards=isinstance(action, CopyTtlIn))
    elif isinstance(action, SetNwTtl):
        flight.packet = set_ttl(flight.packet, action.ttl)
    elif isinstance(action, DecNwTtl):
        _lower_ttl(step, flight, ttl_of(flight.packet), set_ttl)
    elif isinstance(action, Group):
        _through_group(step, flight, action.group_id)


def _slot(action: OpenFlowAction) -> object:
    """Return the key of an action in an action set: its type and, for SetField, its field."""
    return (SetField, action.field) if isinstance(action, SetField) else type(action)


def _execute_set(step: SwitchStep, flight: Flight, actions: Iterable[OpenFlowAction]) -> None:
    ordered = sorted(actions, key=lambda action: _SET_ORDER.index(type(action)))
    if any(isinstance(action, Group) for action in ordered):
        ordered = [action for action in ordered if not isinstance(action, Output)]
    apply_actions(step, flight, ordered)


def _look_up(step: SwitchStep, flight: Flight, table: int) -> FlowEntry | None:
    zero_ports = step.config.version == V10
    fields = packet_fields(flight.packet, flight.in_port, flight.metadata, zero_ports)
    found = best_entries(step.core.flows, table, fields)
    level = found[0].priority if found else -1
    step.reads.add(("lookup", table, tuple(sorted(fields.items())), level))
    step.decisions.append(TableLookup(table, fields, flight.rewritten, level))
    count_lookup(step, table, bool(found))
    if not found:
        return None
    entry = found[0]
    if len(found) > 1:
        entry = step.choose(
            found, lambda each: f"table {each.table} {each.match!r}", fixed=step.config.overlap == "first"
        )
        step.events.append(Ambiguous(table, level, tuple(each.match for each in found)))
    return touch(step, entry, flight.received)


def touch(step: SwitchStep, entry: FlowEntry, received: Packet) -> FlowEntry:
    """Restart the idle timer of an entry that matched a packet, count the packet, and return the new entry."""
    step.reads.add(entry_cell(entry))
    touched = restart_timer(step, count_hit(step, entry, received))
    if touched != entry:
        step.update(flows=put_entry(step.core.flows, touched))
    if step.config.counters:
        step.writes.add(entry_cell(entry))
    return touched


def restart_timer(step: SwitchStep, entry: FlowEntry) -> FlowEntry:
    """Return the entry with its idle timer restarted."""
    if not entry.has_idle_timer:
        return entry
    step.reads.add("time")
    step.writes.add(entry_cell(entry))
    return replace(entry, idle_left=entry.idle_timeout * 1000)


def _miss(step: SwitchStep, flight: Flight, table: int) -> None:
    """Send the packet to the controller in 1.0, unless its port forbids it; 1.3 and the emergency table drop it."""
    if step.config.version != V10 or table == EMERGENCY:
        return
    port = step.port(flight.in_port)
    if port is None or not port.config & PortConfig.NO_PACKET_IN:
        step.reads.add("config")
        flight.reason, flight.cookie = PacketInReason.NO_MATCH, NO_COOKIE
        to_controller(step, flight, step.core.settings.miss_send_len)


def _lower_ttl(step: SwitchStep, flight: Flight, ttl: int | None, with_ttl: Callable[[Packet, int], Packet]) -> None:
    """Lower a time to live, of IP or of a label; a packet whose time is up is dropped and reported."""
    if ttl is None:
        return
    step.decisions.append(TtlCheck(ttl, flight.rewritten))
    if ttl <= 1:
        flight.reason = PacketInReason.INVALID_TTL
        step.reads.add("config")
        to_controller(step, flight, step.core.settings.miss_send_len)
        flight.alive = False
    else:
        flight.packet = with_ttl(flight.packet, ttl - 1)


def output(step: SwitchStep, flight: Flight, number: int, max_len: int) -> None:
    """Send a packet out of an ordinary or reserved port; out of the port where it arrived only for IN_PORT."""
    if number == Port.CONTROLLER:
        to_controller(step, flight, max_len)
    elif number == Port.IN_PORT:
        _emit(step, flight, flight.in_port)
    elif number == Port.TABLE:
        through_tables(step, _copy(flight))
    elif number == Port.NORMAL:
        fields = packet_fields(flight.packet, flight.in_port)
        step.decisions.append(BridgeLookup(fields, flight.rewritten))
        copy = replace(flight, packet=without_empty_tag(flight.packet))
        for port in normal_ports(step, fields, flight.in_port):
            _emit(step, copy, port)
    elif number in (Port.FLOOD, Port.ALL):
        step.reads.add("ports")
        for desc in step.ports:
            if desc.port_no != flight.in_port and _broadcasts(step, desc, number):
                _emit(step, flight, desc.port_no)
    elif number != flight.in_port:
        _emit(step, flight, number)


def _copy(flight: Flight) -> Flight:
    """Return the copy that TABLE sends through the tables; the actions that follow do not see its changes."""
    return replace(flight, metadata=0, action_set={})


def _broadcasts(step: SwitchStep, port: PortDesc, number: int) -> bool:
    """Return whether ALL or FLOOD sends a packet out of a port. FLOOD leaves out ports with NO_FLOOD."""
    if port.port_no == Port.LOCAL and not step.config.floods_local:
        return False
    return number == Port.ALL or not port.config & PortConfig.NO_FLOOD


def _emit(step: SwitchStep, flight: Flight, number: int) -> None:
    port = step.port(number)
    if port is None or port.config & (PortConfig.PORT_DOWN | PortConfig.NO_FWD) or port.state & _DEAD:
        if number == Port.LOCAL:
            step.events.append(LocalDropped(flight.packet))
        return
    step.outputs.append((port.port_no, flight.packet))
    step.rewrites["output"].append(flight.rewritten)
    count_sent(step, port.port_no, flight.packet)


def to_controller(step: SwitchStep, flight: Flight, max_len: int) -> None:
    """Send a packet to the controller: the whole packet or, if it is buffered, its first `max_len` bytes."""
    if not step.listens(step.core.settings.packet_in, flight.reason):
        return
    step.rewrites["packet in"].append(flight.rewritten)
    data = encode(flight.packet)
    buffer_id = buffer_packet(step, flight.packet, flight.in_port, max_len)
    old = step.config.version == V10
    context = {"in_port": flight.in_port} | ({"metadata": flight.metadata} if flight.metadata and not old else {})
    step.packet_in(
        PacketIn(
            match=Match.of(**context),
            data=data if buffer_id == NO_BUFFER else data[:max_len],
            total_len=len(data),
            reason=int(flight.reason),
            buffer_id=buffer_id,
            table_id=0 if old else flight.table,
            cookie=0 if old else flight.cookie,
        )
    )


def _through_group(step: SwitchStep, flight: Flight, group_id: int) -> None:
    step.reads.add(("group", group_id))
    group = next((each for each in step.core.groups if each.group_id == group_id), None)
    if group is None:
        return
    chosen = _buckets(step, group)
    count_group(step, group, chosen, flight.received)
    for index in chosen:
        step.copies += 1
        if step.copies > MAX_COPIES:
            return
        copy = replace(flight, action_set={}, reason=PacketInReason.ACTION)
        actions = {_slot(action): action for action in group.buckets[index].actions}
        _execute_set(step, copy, actions.values())


def _buckets(step: SwitchStep, group: GroupEntry) -> tuple[int, ...]:
    """Return the buckets that process a packet: all, any one with a weight, or the first that is live."""
    every = range(len(group.buckets))
    if group.type == GroupType.SELECT:
        options = [index for index in every if group.buckets[index].weight]
        if len(options) > 1:
            return (step.choose(options, lambda index: f"group {group.group_id} bucket {index}"),)
        return tuple(options)
    if group.type == GroupType.FAST_FAILOVER:
        return tuple(index for index in every if _is_live(step, group.buckets[index]))[:1]
    return tuple(every)


def _is_live(step: SwitchStep, bucket: Bucket, above: frozenset[int] = frozenset()) -> bool:
    """Return whether the watched port is live, or a bucket of the watched group (1.3, 6.5)."""
    if bucket.watch_port != Port.ANY:
        port = step.port(bucket.watch_port)
        if port is not None and not port.config & PortConfig.PORT_DOWN and not port.state & _DEAD:
            return True
    step.reads.add("groups")
    watched = next((each for each in step.core.groups if each.group_id == bucket.watch_group), None)
    if watched is None or watched.group_id in above or len(above) > MAX_CHAIN:
        return False
    return any(_is_live(step, each, above | {watched.group_id}) for each in watched.buckets)
