"""Random controller programs as text: a decision tree over the fields of a packet, with actions at its leaves.

A condition on a packet splits the packets that can come to it, so that both sides can be taken. What a handler stores
of a packet it compares only with the same field of packets, unless `hidden` allows to compare it with a constant or
with another field: that tells packets apart by what was stored of them, and symbolic execution of one handler sees only
what it is given (NICE, section 10.2).
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sdnloom.network.openflow import OpenFlowMessage
from tests.inputs.random_tables import TableMaker
from tests.inputs.small_domains import SmallDomain, SmallField

Values = Mapping[str, int]  # field -> value, -1 if the packet has no such header
_PROLOGUE = '''\
from sdnloom.network.openflow import (
    ApplyActions, ClearActions, DecNwTtl, FlowMod, GotoTable, Group, GroupMod, GroupType, Match, Output, PopVlan, Port,
    PushVlan, SetField, WriteActions, WriteMetadata,
)
from sdnloom.network.openflow.messages import Bucket
from sdnloom.network.packet import Arp, Ethernet, Icmp, IPv4, Tcp, Udp, Vlan, decode
from sdnloom.network.value import ip, mac


def field(packet, kind, name):
    """The field of the first header of a kind; -1 without one."""
    for header in packet.headers:
        if isinstance(header, kind):
            return getattr(header, name)
    return -1


RULES = (
{rules})


class Controller:
    def __init__(self):
        self.count = 0
        self.stored = -2
        self.known = set()
        self.table = {table}

    def switch_join(self, net, switch, features):
        for at, message in RULES:
            if at == switch:
                net.send(switch, message)

    def packet_in(self, net, switch, message):
        packet = decode(message.data)
{reading}{body}'''


@dataclass(frozen=True)
class Condition:
    """A condition as text; `of_packet` decides it for a packet, None if it does not depend on the packet alone."""

    text: str
    of_packet: Callable[[Values], bool] | None = None


@dataclass(frozen=True)
class HandlerMaker:
    """Makes the text of a program."""

    chance: random.Random
    domain: SmallDomain
    version: str
    switches: tuple[tuple[str, tuple[int, ...]], ...]  # name, ports
    packets: tuple[Values, ...]
    hidden: bool = False

    def text(self, rules: Sequence[tuple[str, OpenFlowMessage]], depth: int) -> str:
        """The program with these messages to the switches that join, and a tree of at most this depth."""
        lines = "".join(f"    ({switch!r}, {message!r}),\n" for switch, message in rules)
        reading = "".join(
            f"        {one.variable} = field(packet, {one.header}, {one.attribute!r})\n" for one in self.domain.fields
        )
        body = "".join(f"        {line}\n" for line in self.tree(depth, list(self.packets)))
        known = self._any_field()
        table = {value: number % 2 for number, value in enumerate(known.values)} if known else {}
        return _PROLOGUE.format(rules=lines, reading=reading, body=body, table=table)

    def tree(self, depth: int, packets: list[Values]) -> list[str]:
        """Lines of a decision tree for packets that may come to it."""
        if depth == 0 or self.chance.random() < 0.15:
            return self.leaf()
        condition = self._condition(packets)
        if condition is None:
            return self.leaf()
        decide = condition.of_packet
        yes = packets if decide is None else [one for one in packets if decide(one)]
        no = packets if decide is None else [one for one in packets if not decide(one)]
        first = self.leaf() if self.chance.random() < 0.1 else []
        one, other = self.tree(depth - 1, yes), self.tree(depth - 1, no)
        return [*first, f"if {condition.text}:", *_indented(one), "else:", *_indented(other)]

    def _condition(self, packets: list[Values]) -> Condition | None:
        for _ in range(8):
            found = self._state_condition() if self.chance.random() < 0.3 else self._packet_condition()
            if found is None:
                continue
            if found.of_packet is None or len({found.of_packet(one) for one in packets}) == 2:
                return found
        return None

    def _any_field(self) -> SmallField | None:
        return self.chance.choice(self.domain.fields) if self.domain.fields else None

    def _packet_condition(self) -> Condition | None:
        chance, field = self.chance, self._any_field()
        if field is None:
            return None
        name, variable = field.name, field.variable
        value = chance.choice(field.constants)
        low, high = sorted(chance.sample(field.constants, 2))
        mask = chance.choice((1, 2, 3, 0xFC, *field.masks))
        other = chance.choice(self.domain.fields)
        return chance.choice(
            (
                Condition(f"{variable} == {value}", lambda one: one[name] == value),
                Condition(f"{variable} == {value}", lambda one: one[name] == value),
                Condition(f"{variable} != {value}", lambda one: one[name] != value),
                Condition(f"{variable} & {mask} == {value & mask}", lambda one: one[name] & mask == value & mask),
                Condition(f"{variable} <= {low}", lambda one: one[name] <= low),
                Condition(f"{low} <= {variable} < {high}", lambda one: low <= one[name] < high),
                Condition(f"{variable} in ({low}, {high})", lambda one: one[name] in (low, high)),
                Condition(f"{variable} in self.table"),
                Condition(f"self.table.get({variable}, 0) == 1"),
                Condition(f"{variable} == {other.variable} + 1", lambda one: one[name] == one[other.name] + 1),
                Condition(f"{variable} not in ({value},)", lambda one: one[name] != value),
                Condition(f"not {variable} ^ {value}", lambda one: not one[name] ^ value),
                Condition(f"{variable} >> 1 == {value >> 1}", lambda one: one[name] >> 1 == value >> 1),
                Condition(f"{variable} % 4 == {value % 4}", lambda one: one[name] % 4 == value % 4),
            )
        )

    def _state_condition(self) -> Condition | None:
        chance, field = self.chance, self._any_field()
        switch, ports = chance.choice(self.switches)
        found = [
            Condition(f"message.in_port == {chance.choice(ports)}"),
            Condition(f"self.count >= {chance.randint(1, 2)}"),
            *([Condition(f"switch == {switch!r}")] if len(self.switches) > 1 else []),
        ]
        if field is not None:
            value = chance.choice(field.constants)
            compared = self._kept_field(field).variable
            found += [Condition(f"{compared} == self.stored"), Condition(f"{compared} in self.known")]
            if self.hidden:
                found += [Condition(f"self.stored == {value}"), Condition(f"{value} in self.known")] * 2
        return chance.choice(found)

    def leaf(self) -> list[str]:
        """What the handler does with a packet."""
        chance = self.chance
        lines = [self._remembering() for _ in range(chance.choice((0, 0, 1)))]
        return [*(line for line in lines if line), *self._forwarding()]

    def _remembering(self) -> str:
        field = self._any_field()
        count = "self.count = min(self.count + 1, 2)"
        if field is None:
            return count
        kept = self._kept_field(field).variable
        return self.chance.choice((count, f"self.stored = {kept}", f"self.known.add({kept})"))

    def _kept_field(self, field: SmallField) -> SmallField:
        """The field that a handler stores and compares with what it stored."""
        return field if self.hidden else self.domain.fields[0]

    def _forwarding(self) -> list[str]:
        chance = self.chance
        _, ports = chance.choice(self.switches)
        maker = TableMaker(chance, self.domain, self.version, ports)
        match = maker.match()
        actions = ", ".join(map(repr, maker.actions(match, ())))
        send = f"net.packet_out(switch, message, {actions or f'Output({ports[0]})'})"
        kind = chance.random()
        if kind < 0.3:
            return [send]
        if kind < 0.5:
            return ["net.flood(switch, message)"]
        if kind < 0.6:
            return ["pass"]
        if kind < 0.65:
            return ["raise ValueError('refused')"]
        if kind < 0.7:
            return [
                f"net.install(switch, {match!r}{', ' if actions else ''}{actions}, priority={chance.randint(1, 4)})"
            ]
        return self._exact_rule(ports)

    def _exact_rule(self, ports: tuple[int, ...]) -> list[str]:
        """A rule for packets like this one, which goes the same way."""
        chance = self.chance
        usable = [one for one in self.domain.fields if one.match]
        fields = chance.sample(usable, min(len(usable), chance.randint(1, 2)))
        wanted: dict[str, str] = {}
        guards = []
        if chance.random() < 0.5:
            wanted["in_port"] = "message.in_port"
        for one in fields:
            needs = dict(one.needs)
            if needs.pop("vlan_vid", None) == -1:
                needs["vlan_vid"] = -1
            if any(name in wanted and wanted[name] != str(value) for name, value in needs.items()):
                continue
            if needs.get("vlan_vid") == -1:
                wanted.setdefault("vlan_vid", "0x1000 | field(packet, Vlan, 'vid')")
                needs.pop("vlan_vid")
            wanted = {**{name: str(value) for name, value in needs.items()}, **wanted}
            wanted[one.match] = f"0x1000 | {one.variable}" if one.match == "vlan_vid" else one.variable
            guards.append(f"{one.variable} >= 0")
        text = ", ".join(f"{name}={value}" for name, value in wanted.items())
        out = chance.choice((*(f"Output({port})" for port in ports), "Output(Port.FLOOD)"))
        drop = chance.random() < 0.15
        actions = "" if drop else f", {out}, release=message"
        rule = f"net.install(switch, Match.of({text}){actions}, priority={chance.randint(1, 4)})"
        return (
            [f"if {' and '.join(guards)}:", f"    {rule}", "else:", "    net.flood(switch, message)"]
            if guards
            else [rule]
        )


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
