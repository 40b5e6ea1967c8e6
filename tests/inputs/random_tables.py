"""Random flow entries and groups: overlaps, masks, several tables, rewriting, groups, reserved ports."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from sdnloom.network.openflow import (
    VLAN_PRESENT,
    ApplyActions,
    ClearActions,
    DecNwTtl,
    FlowMod,
    GotoTable,
    Group,
    GroupMod,
    GroupType,
    Instruction,
    Match,
    OpenFlowAction,
    OpenFlowMessage,
    Output,
    PopVlan,
    Port,
    PushVlan,
    SetField,
    WriteActions,
    WriteMetadata,
)
from sdnloom.network.openflow.messages import Bucket
from tests.inputs.small_domains import SmallDomain, SmallField

TABLES = 3  # in 1.3
_GROUPS = (1, 2)


@dataclass(frozen=True)
class TableMaker:
    """Makes messages that fill the tables of a switch with these ports."""

    chance: random.Random
    domain: SmallDomain
    version: str
    ports: tuple[int, ...]

    @property
    def old(self) -> bool:
        """Whether it is OpenFlow 1.0."""
        return self.version == "1.0"

    def messages(self, entries: int) -> tuple[OpenFlowMessage, ...]:
        """Groups, then entries; in 1.3 mostly also one that sends the rest to the controller."""
        groups = [] if self.old else [self.group(number) for number in _GROUPS if self.chance.random() < 0.4]
        known = [group.group_id for group in groups]
        found: list[OpenFlowMessage] = [*groups, *(self.entry(known) for _ in range(entries))]
        if not self.old and self.chance.random() < 0.8:
            found.append(FlowMod(priority=0, instructions=(ApplyActions((Output(Port.CONTROLLER),)),)))
        return tuple(found)

    def entry(self, groups: Sequence[int] = ()) -> FlowMod:
        """A flow entry."""
        chance = self.chance
        match = self.match()
        table = 0 if self.old else chance.choice((0, 0, 0, 1, 2))
        return FlowMod(
            match, instructions=self.instructions(match, table, groups), priority=chance.randint(1, 4), table_id=table
        )

    def match(self) -> Match:
        """A match of up to two fields of the domain, and perhaps of the port."""
        chance = self.chance
        wanted: dict[str, int | tuple[int, int]] = {}
        if chance.random() < 0.3:
            wanted["in_port"] = chance.choice(self.ports)
        usable = [field for field in self.domain.fields if field.match]
        for field in chance.sample(usable, min(len(usable), chance.choice((0, 1, 1, 1, 2)))):
            needs = dict(field.needs)
            if any(name in wanted and wanted[name] != value for name, value in needs.items()):
                continue
            if needs.get("vlan_vid") == -1:
                needs["vlan_vid"] = VLAN_PRESENT | chance.choice((0, 1, 2))
            wanted = {**needs, **wanted, field.match: self._matched(field)}
        if not self.old and chance.random() < 0.1:
            wanted["metadata"] = (chance.randint(0, 1), 1)
        if chance.random() < 0.08:
            wanted["vlan_vid"] = chance.choice((0, VLAN_PRESENT | 5))
        return Match.of(**wanted)

    def _matched(self, field: SmallField) -> int | tuple[int, int]:
        chance = self.chance
        value = field.matched(chance.choice(field.constants))
        masks = field.old_masks if self.old else field.masks
        if masks and chance.random() < 0.4:
            mask = chance.choice(masks)
            return value & mask, mask
        return value

    def instructions(self, match: Match, table: int, groups: Sequence[int]) -> tuple[Instruction, ...]:
        """What an entry does."""
        chance = self.chance
        if self.old:
            actions = self.actions(match, groups)
            return (ApplyActions(actions),) if actions else ()
        found: list[Instruction] = []
        later = table < TABLES - 1 and chance.random() < 0.35
        if chance.random() < (0.5 if later else 0.8):
            found.append(ApplyActions(self.actions(match, groups, outputs=not later or chance.random() < 0.2)))
        if chance.random() < 0.1:
            found.append(ClearActions())
        if chance.random() < 0.25:
            found.append(WriteActions(self.actions(match, groups, one=True)))
        if later:
            if chance.random() < 0.3:
                found.append(WriteMetadata(1, 1))
            found.append(GotoTable(chance.randint(table + 1, TABLES - 1)))
        return tuple(found)

    def actions(
        self, match: Match, groups: Sequence[int], outputs: bool = True, one: bool = False
    ) -> tuple[OpenFlowAction, ...]:
        """Changes of the packet, then outputs; `one` for an action set, which has one action of a kind."""
        chance = self.chance
        found: list[OpenFlowAction] = []
        if chance.random() < 0.3:
            found += self._rewriting(match)
        if not outputs:
            return tuple(found)
        count = 1 if one else chance.choice((0, 1, 1, 1, 1, 2))
        for _ in range(count):
            found.append(self.output(groups))
            if not one and chance.random() < 0.1:
                found += self._rewriting(match)
        return tuple(found)

    def _rewriting(self, match: Match) -> list[OpenFlowAction]:
        chance = self.chance
        kind = chance.random()
        if kind < 0.2 and not self.old:
            return [PushVlan(), SetField("vlan_vid", VLAN_PRESENT | 5)]
        if kind < 0.2:
            return [SetField("vlan_vid", VLAN_PRESENT | 5)]
        if kind < 0.35:
            vlan = match.get("vlan_vid")
            return [PopVlan()] if self.old or (vlan is not None and vlan[0] & VLAN_PRESENT) else []
        if kind < 0.4 and not self.old and match.exact("eth_type") == 0x800:
            return [DecNwTtl()]
        usable = [field for field in self.domain.fields if field.settable and self._fits(field, match)]
        if not usable:
            return []
        field = chance.choice(usable)
        name = field.match
        if self.old and name.startswith(("tcp_", "udp_")):
            name = f"tp_{name[4:]}"
        return [SetField(name, field.matched(chance.choice(field.constants)))]

    def _fits(self, field: SmallField, match: Match) -> bool:
        """Whether an entry with this match may set the field."""
        if not field.match or (self.old and field.match not in _OLD_SETS):
            return False
        if self.old:
            return True
        vlan = match.get("vlan_vid")
        tagged = vlan is not None and bool(vlan[0] & VLAN_PRESENT)
        if field.match in ("vlan_vid", "vlan_pcp"):
            return tagged
        return all(match.exact(name) == value for name, value in field.needs)

    def output(self, groups: Sequence[int] = ()) -> OpenFlowAction:
        """One output."""
        chance = self.chance
        kind = chance.random()
        if groups and kind < 0.3:
            return Group(chance.choice(groups))
        reserved = (Port.FLOOD, Port.FLOOD, Port.CONTROLLER, Port.IN_PORT, Port.NORMAL, Port.ALL)
        return Output(chance.choice(reserved) if kind < 0.45 else chance.choice(self.ports))

    def group(self, number: int) -> GroupMod:
        """A group of any type."""
        chance = self.chance
        kind = chance.choice((GroupType.ALL, GroupType.SELECT, GroupType.FAST_FAILOVER, GroupType.INDIRECT))
        count = 1 if kind == GroupType.INDIRECT else chance.randint(1, 2)
        return GroupMod(number, type=int(kind), buckets=tuple(self._bucket(kind) for _ in range(count)))

    def _bucket(self, kind: int) -> Bucket:
        chance = self.chance
        port = chance.choice(self.ports)
        changes: list[OpenFlowAction] = []
        if chance.random() < 0.3:
            changes.append(SetField("eth_dst", chance.choice((2, 3, 0xFFFF_FFFF_FFFF))))
        actions = (*changes, Output(port)) if chance.random() < 0.9 else tuple(changes)
        if kind == GroupType.FAST_FAILOVER:
            return Bucket(actions, watch_port=port)
        return Bucket(actions, weight=1 if kind == GroupType.SELECT else 0)


_OLD_SETS = ("eth_dst", "vlan_vid", "vlan_pcp", "ipv4_dst", "tcp_dst", "tcp_src", "udp_dst", "udp_src")
