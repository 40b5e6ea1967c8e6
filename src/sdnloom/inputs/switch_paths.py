"""The paths of symbolic packets through one switch: which lookups they match, and what becomes of them.

The switch model runs on one packet after the other. What it decided by looking at a packet gives conditions on the
packet's variables; each of them is negated, and a packet that satisfies the result takes another path, until there is
no other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from time import monotonic

from sdnloom.engine.stop_points import check_limits
from sdnloom.inputs.concolic import preferred_values, symbolic_constraints, variable
from sdnloom.inputs.rewritten_packet import SymbolicPacket, changed_packet
from sdnloom.inputs.skeletons import Skeleton
from sdnloom.inputs.stacks import StackField
from sdnloom.network.openflow import (
    NO_BUFFER,
    V10,
    VLAN_PRESENT,
    ApplyActions,
    Group,
    Match,
    Output,
    PacketIn,
    Port,
    SetField,
    WriteActions,
)
from sdnloom.network.openflow.match import full_mask
from sdnloom.network.packet import Packet, decode
from sdnloom.network.switch import FlowEntry, Switch, SwitchCore
from sdnloom.network.switch.core import NO_COUNTS, NO_TRAFFIC
from sdnloom.network.switch.decisions import BridgeLookup, PacketDecision, TableLookup, TtlCheck
from sdnloom.network.switch.normal import GROUP_BIT, RESERVED, RESERVED_MASK
from sdnloom.network.switch.pipeline import SET_PORTS, process_packet
from sdnloom.network.switch.step import SwitchStep, all_outcomes
from sdnloom.network.switch.tables.flow_table import best_entries
from sdnloom.network.switch.tables.lookup import NOT_ETHER_TYPE, packet_fields
from sdnloom.symbolic.solver.flip import BranchFlipper
from sdnloom.symbolic.solver.interface import SolverAnswer, find_solver
from sdnloom.symbolic.terms import constructors as terms
from sdnloom.symbolic.terms.constructors import FALSE, TRUE, Term, const
from sdnloom.symbolic.terms.evaluate import evaluate_term

# OpenFlow match field -> fields of a skeleton, of which the first one that the skeleton has is used.
_FIELDS: dict[str, tuple[str, ...]] = {
    "eth_dst": ("eth.dst",),
    "eth_src": ("eth.src",),
    "eth_type": ("vlan3.type", "vlan2.type", "vlan.type", "eth.type"),
    "vlan_vid": ("vlan.vid",),
    "vlan_pcp": ("vlan.pcp",),
    "ip_dscp": ("ipv4.dscp", "ipv6.dscp"),
    "ip_ecn": ("ipv4.ecn", "ipv6.ecn"),
    "ip_proto": ("ipv4.proto", "ipv6.proto"),
    "ipv6_flabel": ("ipv6.label",),
    "icmpv4_type": ("icmp.type",),
    "icmpv4_code": ("icmp.code",),
    **{f"ipv{version}_{end}": (f"ipv{version}.{end}",) for version in (4, 6) for end in ("src", "dst")},
    **{f"{proto}_{end}": (f"{proto}.{end}_port",) for proto in ("tcp", "udp") for end in ("src", "dst")},
    **{f"arp_{name}": (f"arp.{name}",) for name in ("op", "spa", "tpa", "sha", "tha")},
    **{f"mpls_{name}": (f"mpls.{name}",) for name in ("label", "tc", "bos")},
    **{f"icmpv6_{name}": (f"icmpv6.{name}",) for name in ("type", "code")},
}


@dataclass(frozen=True)
class SwitchPath:
    """One path: its conditions, the entries that matched, what leaves through ports and what the controller is sent.

    `shadowed` has the conditions of entries below the one that matched, which packets of the path may match in vain.
    `lost` says that a packet left with headers that are not followed.
    """

    conditions: tuple[Term, ...]
    matched: tuple[object, ...]
    outputs: tuple[tuple[int, SymbolicPacket], ...]
    packet_ins: tuple[tuple[PacketIn, SymbolicPacket], ...]
    shadowed: tuple[Term, ...] = ()
    lost: bool = False
    undecided: bool = False


@lru_cache(maxsize=1 << 12)
def forwarding_state(core: SwitchCore) -> SwitchCore:
    """Return the switch without what does not matter to the next packet: timers, counters and buffers."""
    flows = tuple(
        replace(each, idle_left=None, hard_left=None, age=0, traffic=NO_TRAFFIC, idle_timeout=0, hard_timeout=0)
        for each in core.flows
    )
    groups = tuple(replace(each, age=0, traffic=()) for each in core.groups)
    meters = tuple(replace(each, age=0, traffic=NO_TRAFFIC) for each in core.meters)
    macs = tuple((*row[:3], 0) for row in core.macs)
    return replace(core, flows=flows, groups=groups, meters=meters, macs=macs, buffers=(), counts=NO_COUNTS)


class SwitchPaths:
    """Finds the paths through switches; equal questions are answered once."""

    def __init__(self, configs: Mapping[str, Switch], solver: str = "auto", query_seconds: float = 1.0) -> None:
        self._configs = configs
        self._solver, self._query_seconds = find_solver(solver), query_seconds
        self._found: dict[tuple[str, int, Skeleton, SwitchCore], tuple[SwitchPath, ...]] = {}
        self._flippers: dict[Skeleton, BranchFlipper] = {}

    def flipper(self, skeleton: Skeleton) -> BranchFlipper:
        """Return what solves conditions on packets of a skeleton."""
        found = self._flippers.get(skeleton)
        if found is None:
            found = self._flippers[skeleton] = self.new_flipper(skeleton, ())
        return found

    def new_flipper(self, skeleton: Skeleton, conditions: Sequence[Term]) -> BranchFlipper:
        """Return what solves further conditions on packets of a skeleton that satisfy these."""
        solver, seconds = self._solver, self._query_seconds
        make = (lambda given: solver(given, seconds)) if solver else None
        domain = (*symbolic_constraints(skeleton), *conditions)
        return BranchFlipper(domain, make, monotonic, preferred=preferred_values(skeleton))

    def paths(self, switch: str, in_port: int, skeleton: Skeleton, core: SwitchCore) -> tuple[SwitchPath, ...]:
        """Return the paths of a skeleton's packets that arrive at a port. The core is a forwarding state."""
        config = self._configs[switch]
        relevant = replace(core, flows=_relevant_flows(core, in_port, skeleton, config.version))
        key = switch, in_port, skeleton, relevant
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = tuple(self._paths(config, in_port, skeleton, relevant))
        return found

    def _paths(self, config: Switch, in_port: int, skeleton: Skeleton, core: SwitchCore) -> Iterator[SwitchPath]:
        flipper = self.flipper(skeleton)
        first = {field.name: domain.first for field, domain in skeleton.symbolic}
        waiting: list[tuple[Mapping[str, int], int]] = [(first, 0)]
        while waiting:
            check_limits()
            model, known = waiting.pop()
            path, literals = _one_path(config, in_port, skeleton, core, model)
            facts, prefix, undecided = flipper.facts.copy(), list[tuple[Term, bool]](), False
            for number, (condition, taken) in enumerate(literals):
                if number >= known:
                    answer = flipper.flip(prefix, condition, not taken, model, facts)
                    if answer is SolverAnswer.UNKNOWN:
                        undecided = True
                    elif not isinstance(answer, SolverAnswer):
                        waiting.append((answer, number + 1))
                facts.learn(condition, taken)
                prefix.append((condition, taken))
            yield replace(path, undecided=undecided)


def _relevant_flows(core: SwitchCore, in_port: int, skeleton: Skeleton, version: int) -> tuple[FlowEntry, ...]:
    """Return the entries without those of table 0 that are for other ports or other protocols."""
    if any(_resubmits(entry) for entry in core.flows):
        return core.flows
    lookup = TableLookup(0, _first_fields(skeleton, in_port, version == V10), frozenset(), -1)
    return tuple(
        entry for entry in core.flows if entry.table != 0 or match_condition(entry.match, lookup, skeleton) is not FALSE
    )


def _resubmits(entry: FlowEntry) -> bool:
    """Whether an entry may send packets to table 0 again: by TABLE, or by a group, which is not looked into."""
    lists = [each.actions for each in entry.instructions if isinstance(each, ApplyActions | WriteActions)]
    return any(
        isinstance(each, Group) or (isinstance(each, Output) and each.port == Port.TABLE)
        for actions in lists
        for each in actions
    )


@lru_cache(maxsize=1 << 10)
def _first_fields(skeleton: Skeleton, in_port: int, zero_ports: bool) -> Mapping[str, int]:
    return packet_fields(skeleton.packet({}), in_port, 0, zero_ports)


def _one_path(
    config: Switch, in_port: int, skeleton: Skeleton, core: SwitchCore, model: Mapping[str, int]
) -> tuple[SwitchPath, list[tuple[Term, bool]]]:
    """Return the path of one packet, and its conditions in the order in which the switch came to decide them."""
    frame = skeleton.frame(without_checksums(skeleton, model))
    packet = decode(frame)
    steps: list[SwitchStep] = []

    def process(step: SwitchStep) -> None:
        steps.append(step)
        process_packet(step, in_port, packet)

    all_outcomes(config, core, process)
    values = {field.name: field.read(frame) for field in skeleton.stack.fields}
    literals: dict[Term, bool] = {}
    matched: list[object] = []
    shadowed: dict[Term, None] = {}
    for step in steps:
        for decision in step.decisions:
            for condition in decision_conditions(decision, core, skeleton, values):
                literals.setdefault(condition, bool(evaluate_term(condition, values)))
            if isinstance(decision, TableLookup):
                shadowed.update(dict.fromkeys(_entry_conditions(decision, core, skeleton, below=True)))
                found = best_entries(core.flows, decision.table, decision.fields)
                matched.append((decision.table, tuple((entry.key, entry.instructions) for entry in found)))
    outputs: dict[tuple[int, SymbolicPacket], None] = {}
    packet_ins: dict[tuple[PacketIn, SymbolicPacket], None] = {}
    lost = False
    for step in (each for each in steps if not each.deviates):
        for (port, out), rewritten in zip(step.outputs, step.rewrites["output"], strict=True):
            changed = changed_packet(skeleton, [(frame, out)], stack_fields(rewritten))
            if changed is None:
                lost = True
            else:
                outputs[port, changed] = None
        messages = [message for message in step.messages if isinstance(message, PacketIn)]
        for message, rewritten in zip(messages, step.rewrites["packet in"], strict=True):
            changed = changed_packet(skeleton, [(frame, _packet_in_packet(step, message))], stack_fields(rewritten))
            if changed is None:
                lost = True
            else:
                packet_ins[_template(message), changed] = None
    path = SwitchPath(
        tuple(condition if taken else terms.not_(condition) for condition, taken in literals.items()),
        tuple(matched),
        tuple(outputs),
        tuple(packet_ins),
        tuple(each for each in shadowed if each not in literals),
        lost,
    )
    return path, list(literals.items())


def stack_fields(rewritten: frozenset[str]) -> frozenset[str]:
    """Return the names of the stack fields of match fields."""
    ttls = ("ipv4.ttl", "ipv6.ttl", "mpls.ttl") if "ttl" in rewritten else ()
    return frozenset(each for name in rewritten for each in _FIELDS.get(name, ())).union(ttls)


def _packet_in_packet(step: SwitchStep, message: PacketIn) -> Packet:
    """Return the packet that a message is about, whole even if the message has only its beginning."""
    waiting = next((each.packet for each in step.core.buffers if each.buffer_id == message.buffer_id), None)
    return decode(message.data) if waiting is None else waiting


def _template(message: PacketIn) -> PacketIn:
    """Return the message without data. The id of a buffer does not matter to a handler, so it is always 0."""
    buffered = message.buffer_id != NO_BUFFER
    return replace(message, data=b"", total_len=0, buffer_id=0 if buffered else NO_BUFFER)


def without_checksums(skeleton: Skeleton, model: Mapping[str, int]) -> dict[str, int]:
    """Return a model without checksums, so that they are computed."""
    computed = {field.name for field, _ in skeleton.symbolic if field.computed}
    return {name: value for name, value in model.items() if name not in computed}


# -- conditions ------------------------------------------------------------------------------------------------------


def decision_conditions(
    decision: PacketDecision, core: SwitchCore, skeleton: Skeleton, values: Mapping[str, int]
) -> Iterator[Term]:
    """Yield the conditions on the packet that a decision depended on, without those that are constant."""
    if isinstance(decision, TableLookup):
        yield from _entry_conditions(decision, core, skeleton)
        yield from _overlap_conditions(decision, core, skeleton)
    elif isinstance(decision, BridgeLookup):
        yield from _bridge_conditions(decision, core, skeleton)
    else:
        yield from _ttl_condition(decision, skeleton, values)


def _entry_conditions(lookup: TableLookup, core: SwitchCore, skeleton: Skeleton, below: bool = False) -> Iterator[Term]:
    """Yield the conditions of a table's entries from the priority of the one found on, or `below` it."""
    for entry in core.flows:
        if entry.table == lookup.table and (entry.priority < lookup.priority) is below:
            condition = match_condition(entry.match, lookup, skeleton)
            if condition is not TRUE and condition is not FALSE:
                yield condition


def _overlap_conditions(lookup: TableLookup, core: SwitchCore, skeleton: Skeleton) -> Iterator[Term]:
    """Yield whether what entries of equal priority set is there already: then it may not matter which one is taken."""
    found = best_entries(core.flows, lookup.table, lookup.fields)
    instructions = [each for entry in found for each in entry.instructions] if len(found) > 1 else []
    for instruction in instructions:
        for action in instruction.actions if isinstance(instruction, ApplyActions | WriteActions) else ():
            if isinstance(action, SetField):
                for name in SET_PORTS.get(action.field, (action.field,)):
                    field = None if name in lookup.rewritten else symbolic_fields(skeleton).get(name)
                    condition = FALSE
                    if field is not None:
                        condition = _field_condition(name, field, action.value, full_mask(name))
                    if condition is not FALSE:
                        yield condition


def match_condition(match: Match, lookup: TableLookup, skeleton: Skeleton) -> Term:
    """Return the condition on a packet of the skeleton that it has all fields of a match at this lookup."""
    symbolic, parts = symbolic_fields(skeleton), list[Term]()
    for name, value, mask in match.fields:
        have = lookup.fields.get(name)
        if have is None:
            return FALSE
        full = full_mask(name) if mask is None else mask
        field = None if name in lookup.rewritten else symbolic.get(name)
        if field is None:
            if have & full != value:
                return FALSE
        else:
            part = _field_condition(name, field, value, full)
            if part is FALSE:
                return FALSE
            parts.append(part)
    return terms.all_(*parts)


def _field_condition(name: str, field: StackField, value: int, mask: int) -> Term:
    term = variable(field)
    if name == "vlan_vid":
        if VLAN_PRESENT & mask != value & VLAN_PRESENT:
            return FALSE
        value, mask = value & ~VLAN_PRESENT, mask & ~VLAN_PRESENT
    if name == "eth_type" and value == NOT_ETHER_TYPE:
        return terms.ult(term, const(0x600, field.bits))
    if value & ~field.max_value:
        return FALSE
    return terms.eq(terms.bv_and(term, const(mask, field.bits)), const(value, field.bits))


def _bridge_conditions(decision: BridgeLookup, core: SwitchCore, skeleton: Skeleton) -> Iterator[Term]:
    """Yield what NORMAL asks of a destination: is it reserved, is it a group, is it known."""
    field = None if "eth_dst" in decision.rewritten else symbolic_fields(skeleton).get("eth_dst")
    if field is None:
        return
    term = variable(field)
    yield terms.eq(terms.bv_and(term, const(RESERVED_MASK, field.bits)), const(RESERVED, field.bits))
    yield terms.eq(terms.bv_and(term, const(GROUP_BIT, field.bits)), const(0, field.bits))
    for _, address, _, _ in core.macs:
        yield terms.eq(term, const(address, field.bits))


def _ttl_condition(decision: TtlCheck, skeleton: Skeleton, values: Mapping[str, int]) -> Iterator[Term]:
    """Yield whether a time to live is used up, after as many decrements as there were before."""
    if "ttl" in decision.rewritten:
        return
    for field, _ in skeleton.symbolic:
        if field.name.endswith(".ttl"):
            lowered = values[field.name] - decision.ttl
            yield terms.ule(variable(field), const(1 + lowered, field.bits))
            return


@lru_cache(maxsize=1 << 10)
def symbolic_fields(skeleton: Skeleton) -> Mapping[str, StackField]:
    """Return the symbolic fields of a skeleton by the name of their match field."""
    symbolic = {field.name: field for field, _ in skeleton.symbolic}
    known = {field.name for field in skeleton.stack.fields}
    found: dict[str, StackField] = {}
    for name, candidates in _FIELDS.items():
        used = next((each for each in candidates if each in known), None)
        if used in symbolic:
            found[name] = symbolic[used]
    return found


def packet_ins(config: Switch, core: SwitchCore, port: int, skeleton: Skeleton) -> list[tuple[PacketIn, Skeleton]]:
    """Return how packets of a skeleton come to the controller: messages without data, and the packets in them.

    A switch may have changed the packets, for example by a VLAN tag. There is one message for each kind of packet.
    """
    paths = SwitchPaths({"": config}).paths("", port, skeleton, forwarding_state(core))
    found: dict[Skeleton, PacketIn] = {}
    for path in paths:
        for message, packet in path.packet_ins:
            found.setdefault(packet.skeleton, message)
    return [(message, kind) for kind, message in found.items()]
