"""Checks of matches, actions and instructions: a switch refuses a bad one with the specification's error."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sdnloom.network.openflow import (
    FIELDS,
    V10,
    VLAN_PRESENT,
    ApplyActions,
    ClearActions,
    CopyTtlIn,
    CopyTtlOut,
    DecMplsTtl,
    DecNwTtl,
    Enqueue,
    ExperimenterAction,
    ExperimenterInstruction,
    GotoTable,
    Group,
    Instruction,
    Match,
    Meter,
    OpenFlowAction,
    Output,
    PopMpls,
    PopVlan,
    Port,
    PushMpls,
    PushVlan,
    SetField,
    SetMplsTtl,
    SetNwTtl,
    SetQueue,
    UnknownInstruction,
    WriteActions,
    WriteMetadata,
    canonical,
)
from sdnloom.network.packet import EtherType, Packet
from sdnloom.network.switch.rewrite import SETTABLE
from sdnloom.network.switch.step import RefusedMessage, SwitchStep
from sdnloom.network.switch.tables.lookup import is_fragment, packet_fields

# Fields that packets of the model do not have, so the model cannot match them.
_UNSUPPORTED = frozenset(("in_phy_port", "sctp_src", "sctp_dst", "pbb_isid", "tunnel_id", "ipv6_exthdr"))
_TRANSPORT = frozenset(("tp_src", "tp_dst"))
_V10_SETS = frozenset(("eth_dst", "eth_src", "vlan_vid", "vlan_pcp", "ipv4_src", "ipv4_dst", "ip_dscp")) | _TRANSPORT
_PLAIN = (
    PopVlan,
    PopMpls,
    SetNwTtl,
    DecNwTtl,
    SetMplsTtl,
    DecMplsTtl,
    SetQueue,
    Group,
)  # actions of 1.3 without arguments that could be wrong
_INSTRUCTION_ORDER = (Meter, ApplyActions, ClearActions, WriteActions, WriteMetadata, GotoTable)  # 1.3, 5.9: fixed

_ON_LABELS = (PopMpls, SetMplsTtl, DecMplsTtl, CopyTtlIn, CopyTtlOut)  # actions for packets with a label
_PUSHED: dict[type[OpenFlowAction], tuple[int, int]] = {
    PushVlan: (EtherType.VLAN, EtherType.SERVICE_VLAN),
    PushMpls: (EtherType.MPLS, EtherType.MPLS_MULTICAST),
}


@dataclass(frozen=True)
class CheckContext:
    """The facts about all packets that a list of actions can be applied to."""

    eth_type: int | None
    ip_proto: int | None
    icmpv6_type: int | None
    tagged: bool

    @staticmethod
    def of_match(match: Match) -> "CheckContext":
        vlan = match.get("vlan_vid")
        tagged = vlan is not None and bool(vlan[0] & vlan[1] & VLAN_PRESENT)
        return CheckContext(match.exact("eth_type"), match.exact("ip_proto"), match.exact("icmpv6_type"), tagged)

    @staticmethod
    def of_packet(packet: Packet) -> "CheckContext":
        fields = packet_fields(packet)
        # A fragment names its transport protocol, but has none of its fields.
        proto = None if is_fragment(packet) else fields.get("ip_proto")
        return CheckContext(fields.get("eth_type"), proto, fields.get("icmpv6_type"), bool(fields["vlan_vid"]))

    @property
    def is_ip(self) -> bool:
        return self.eth_type in (EtherType.IPV4, EtherType.IPV6)

    @property
    def is_mpls(self) -> bool:
        return self.eth_type in (EtherType.MPLS, EtherType.MPLS_MULTICAST)

    def allows(self, name: str) -> bool:
        """Return whether every packet has this field."""
        if name in ("vlan_vid", "vlan_pcp"):
            return self.tagged
        needs = FIELDS[name].needs
        return not needs or any(
            getattr(self, need) == value and (need == "eth_type" or self.allows(need)) for need, value in needs
        )


def check_match(step: SwitchStep, match: Match) -> Match:
    """Return the match that a table keeps. 1.0 ignores a field without its prerequisite, 1.3 refuses it."""
    old = step.config.version == V10
    kept: list[tuple[str, int, int | None]] = []
    so_far: dict[str, tuple[int, int | None]] = {}
    for name, value, mask in match.fields:
        field = FIELDS.get(name)
        if field is None or name in _UNSUPPORTED:
            raise RefusedMessage("bad_match", "bad_field")
        if mask is not None and not field.maskable:
            raise RefusedMessage("bad_match", "bad_mask")
        if value > field.full and not old:  # an ICMP type of 16 bits in 1.0 matches no packet
            raise RefusedMessage("bad_match", "bad_value")
        if name == "vlan_vid" and not _vlan_match_has_meaning(value):
            raise RefusedMessage("bad_match", "bad_value")
        if name == "vlan_pcp" and old and "vlan_vid" not in so_far:
            kept.append(("vlan_vid", VLAN_PRESENT, VLAN_PRESENT))  # 1.0: a priority without a VLAN id means any tag
            so_far["vlan_vid"] = VLAN_PRESENT, VLAN_PRESENT
        if _prerequisite(name, so_far):
            kept.append((name, value, mask))
            so_far[name] = (value, mask)
        elif not old:
            raise RefusedMessage("bad_match", "bad_prereq")
    return match if len(kept) == len(match.fields) else canonical(kept)


def _vlan_match_has_meaning(value: int) -> bool:
    """Return whether a VLAN id is 0 (no tag) or has the present bit; others are neither (1.3, 7.2.3.7)."""
    return bool(value & VLAN_PRESENT) or value == 0


def _prerequisite(name: str, so_far: dict[str, tuple[int, int | None]]) -> bool:
    if name == "vlan_pcp":
        return bool(so_far.get("vlan_vid", (0, None))[0] & VLAN_PRESENT)
    needs = FIELDS[name].needs
    return not needs or any(so_far.get(need) == (value, None) for need, value in needs)


def check_instructions(
    step: SwitchStep, table: int, match: Match, instructions: tuple[Instruction, ...]
) -> tuple[Instruction, ...]:
    """Return the instructions in the order of their execution, as a table keeps them.

    This does not check that groups exist: a modify that selects no entry must not fail because of a group.
    """
    if step.config.version == V10 and any(not isinstance(each, ApplyActions) for each in instructions):
        raise RefusedMessage("bad_request", "bad_type")
    kinds = [type(instruction) for instruction in instructions]
    if len(set(kinds)) != len(kinds):
        raise RefusedMessage("bad_instruction", "unsup_inst")
    for instruction in instructions:
        if isinstance(instruction, GotoTable):
            if not table < instruction.table_id < step.config.n_tables:
                raise RefusedMessage("bad_instruction", "bad_table_id")
        elif isinstance(instruction, UnknownInstruction):
            raise RefusedMessage("bad_instruction", "unknown_inst")
        elif isinstance(instruction, ExperimenterInstruction):
            raise RefusedMessage("bad_instruction", "bad_experimenter")
        elif not isinstance(instruction, _INSTRUCTION_ORDER):
            raise RefusedMessage("bad_instruction", "unsup_inst")
    ordered = tuple(sorted(instructions, key=lambda each: _INSTRUCTION_ORDER.index(type(each))))
    lists = [each for each in ordered if isinstance(each, ApplyActions | WriteActions)]
    for each in lists:
        check_shape(step, each.actions)
    if step.config.version != V10:
        context = CheckContext.of_match(match)
        for each in lists:
            context = check_fit(each.actions, context, written=isinstance(each, WriteActions))
    # An empty list of actions is the same as none, so that equal entries are equal values.
    return tuple(each for each in ordered if not isinstance(each, ApplyActions | WriteActions) or each.actions)


def check_shape(step: SwitchStep, actions: Iterable[OpenFlowAction], packet_out: bool = False) -> None:
    """Refuse an action whose type, port or value is wrong for every packet."""
    old = step.config.version == V10
    for action in actions:
        if isinstance(action, Output):
            _check_port(step, action.port, packet_out)
        elif isinstance(action, SetField):
            _check_set(step, action)
        elif isinstance(action, PushVlan | PushMpls) and not old:
            if action.ethertype not in _PUSHED[type(action)]:
                raise RefusedMessage("bad_action", "bad_argument")
        elif isinstance(action, CopyTtlIn | CopyTtlOut) and not old and step.config.traits.full_mpls:
            continue
        elif isinstance(action, Enqueue) and old:
            _check_enqueue(step, action)
        elif isinstance(action, ExperimenterAction):
            raise RefusedMessage("bad_action", "bad_experimenter")
        elif not isinstance(action, PopVlan if old else _PLAIN):
            raise RefusedMessage("bad_action", "bad_type")


def check_fit(actions: Iterable[OpenFlowAction], context: CheckContext, written: bool = False) -> CheckContext:
    """Return the facts after the actions; refuse an action that the facts before it do not allow (1.3, 6.4).

    Written actions wait in the action set while later tables change the packet: among them only a set-field is checked,
    which must name a field that the entry's own match ensures (1.3, 7.2.5).
    """
    for action in actions:
        if isinstance(action, SetField):
            fits = context.allows(action.field)
        elif isinstance(action, PopVlan):
            fits = context.tagged or written
        elif isinstance(action, _ON_LABELS):
            fits = context.is_mpls or written
        else:
            fits = context.is_ip or written or not isinstance(action, SetNwTtl | DecNwTtl)
        if not fits:
            raise RefusedMessage("bad_action", "match_inconsistent")
        if isinstance(action, PopVlan | PushVlan):
            context = replace(context, tagged=isinstance(action, PushVlan))
        elif isinstance(action, PushMpls | PopMpls):
            context = replace(context, eth_type=action.ethertype, ip_proto=None, icmpv6_type=None)
    return context


def check_groups(step: SwitchStep, actions: Iterable[OpenFlowAction]) -> None:
    """Refuse a group that does not exist. This check is the last one, because the others do not depend on the core."""
    for action in actions:
        if isinstance(action, Group):
            step.reads.add(("group", action.group_id))
            if all(group.group_id != action.group_id for group in step.core.groups):
                raise RefusedMessage("bad_action", "bad_out_group")


def check_meters(step: SwitchStep, instructions: Iterable[Instruction]) -> None:
    """Refuse a meter that does not exist; the last check, as that of groups."""
    for instruction in instructions:
        if isinstance(instruction, Meter):
            step.reads.add(("meter", instruction.meter_id))
            if all(meter.meter_id != instruction.meter_id for meter in step.core.meters):
                raise RefusedMessage("meter_mod_failed", "invalid_meter")


def _check_set(step: SwitchStep, action: SetField) -> None:
    old = step.config.version == V10
    if action.field not in SETTABLE or (action.field in _TRANSPORT) != (old and action.field in _TRANSPORT):
        raise RefusedMessage("bad_action", "bad_type" if old else "bad_set_type")
    if old and action.field not in _V10_SETS:
        raise RefusedMessage("bad_action", "bad_type")
    full = 0xFFFF if action.field in _TRANSPORT else FIELDS[action.field].full
    if not 0 <= action.value <= full or (action.field == "vlan_vid" and not old and not action.value & VLAN_PRESENT):
        raise RefusedMessage("bad_action", "bad_argument" if old else "bad_set_argument")
    if action.field == "mpls_bos" and not step.config.traits.full_mpls:
        raise RefusedMessage("bad_action", "bad_set_argument")


def _check_port(step: SwitchStep, number: int, packet_out: bool) -> None:
    if number in (Port.IN_PORT, Port.NORMAL, Port.FLOOD, Port.ALL, Port.CONTROLLER):
        return
    if number == Port.TABLE:
        if not packet_out:
            raise RefusedMessage("bad_action", "bad_out_port")
        return
    ordinary = step.config.lowest_port <= number < step.config.max_port or number == Port.LOCAL
    if not ordinary or (step.port(number) is None and step.config.unknown_port == "refuse"):
        raise RefusedMessage("bad_action", "bad_out_port")


def _check_enqueue(step: SwitchStep, action: Enqueue) -> None:
    if action.port != Port.IN_PORT:
        _check_port(step, action.port, packet_out=False)
        if action.port in (Port.NORMAL, Port.FLOOD, Port.ALL, Port.CONTROLLER):
            raise RefusedMessage("bad_action", "bad_out_port")
    # IN_PORT is known only when a packet arrives.
    known = [q for q in step.config.queues if action.port in (Port.IN_PORT, q.port) and q.queue_id == action.queue_id]
    if not known and not step.config.traits.takes_any_port:
        raise RefusedMessage("bad_action", "bad_queue")
