"""Actions and instructions as values, one set for 1.0 and 1.3."""

from dataclasses import dataclass

from sdnloom.network.openflow.constants import NO_TRUNCATION, GroupNo, MeterNo, PortNo
from sdnloom.network.openflow.oxm import FIELDS
from sdnloom.network.value import Hex, Value, hexadecimal


class OpenFlowAction(Value):
    """Base of all actions."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, repr=False)
class Output(OpenFlowAction):
    """Send the packet out of a port; to the controller at most `max_len` bytes of it."""

    port: PortNo
    max_len: Hex = NO_TRUNCATION


@dataclass(frozen=True, slots=True, repr=False)
class SetField(OpenFlowAction):
    """Overwrite a header field, by its match name. `vlan_vid` carries VLAN_PRESENT as a match does.

    The set actions of 1.0 are SetField too; `tp_src` and `tp_dst` are its transport ports, of TCP or UDP.
    """

    field: str
    value: int

    def __repr__(self) -> str:
        shown = FIELDS[self.field].show(self.value) if self.field in FIELDS else hexadecimal(self.value)
        return f"SetField(field={self.field!r}, value={shown})"


@dataclass(frozen=True, slots=True, repr=False)
class PushVlan(OpenFlowAction):
    """Add an outermost VLAN tag (1.3)."""

    ethertype: Hex = 0x8100


@dataclass(frozen=True, slots=True, repr=False)
class PopVlan(OpenFlowAction):
    """Remove the outermost VLAN tag (1.0: strip)."""


@dataclass(frozen=True, slots=True, repr=False)
class PushMpls(OpenFlowAction):
    """Add an MPLS label (1.3)."""

    ethertype: Hex = 0x8847


@dataclass(frozen=True, slots=True, repr=False)
class PopMpls(OpenFlowAction):
    """Remove the outermost MPLS label; `ethertype` is the type of the remaining packet (1.3)."""

    ethertype: Hex


@dataclass(frozen=True, slots=True, repr=False)
class PushPbb(OpenFlowAction):
    """Add a PBB header (1.3)."""

    ethertype: Hex = 0x88E7


@dataclass(frozen=True, slots=True, repr=False)
class PopPbb(OpenFlowAction):
    """Remove the outermost PBB header (1.3)."""


@dataclass(frozen=True, slots=True, repr=False)
class Group(OpenFlowAction):
    """Send the packet to a group (1.3)."""

    group_id: GroupNo


@dataclass(frozen=True, slots=True, repr=False)
class SetQueue(OpenFlowAction):
    """Choose the queue for later outputs (1.3)."""

    queue_id: int


@dataclass(frozen=True, slots=True, repr=False)
class Enqueue(OpenFlowAction):
    """Send out of a port through one of its queues (1.0)."""

    port: PortNo
    queue_id: int


@dataclass(frozen=True, slots=True, repr=False)
class SetNwTtl(OpenFlowAction):
    """Set the IP time to live (1.3)."""

    ttl: int


@dataclass(frozen=True, slots=True, repr=False)
class DecNwTtl(OpenFlowAction):
    """Lower the IP time to live by one (1.3)."""


@dataclass(frozen=True, slots=True, repr=False)
class SetMplsTtl(OpenFlowAction):
    """Set the MPLS time to live (1.3)."""

    ttl: int


@dataclass(frozen=True, slots=True, repr=False)
class DecMplsTtl(OpenFlowAction):
    """Lower the MPLS time to live by one (1.3)."""


@dataclass(frozen=True, slots=True, repr=False)
class CopyTtlOut(OpenFlowAction):
    """Copy the time to live from the second outermost header to the outermost (1.3)."""


@dataclass(frozen=True, slots=True, repr=False)
class CopyTtlIn(OpenFlowAction):
    """Copy the time to live from the outermost header to the second outermost (1.3)."""


@dataclass(frozen=True, slots=True, repr=False)
class ExperimenterAction(OpenFlowAction):
    """A vendor's action; `data` are the bytes after the experimenter number."""

    experimenter: Hex
    data: bytes = b""


@dataclass(frozen=True, slots=True, repr=False)
class UnknownAction(OpenFlowAction):
    """An action of a type that the version does not define; `data` are the bytes after its length."""

    type: int
    data: bytes = b""


class Instruction(Value):
    """Base of all instructions. A 1.0 entry has one ApplyActions, or none if it drops packets."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, repr=False)
class GotoTable(Instruction):
    """Continue in a later table."""

    table_id: int


@dataclass(frozen=True, slots=True, repr=False)
class WriteMetadata(Instruction):
    """Set the masked bits of the metadata."""

    metadata: Hex
    mask: Hex = 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True, slots=True, repr=False)
class WriteActions(Instruction):
    """Merge actions into the action set."""

    actions: tuple[OpenFlowAction, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class ApplyActions(Instruction):
    """Apply actions now, in order."""

    actions: tuple[OpenFlowAction, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class ClearActions(Instruction):
    """Empty the action set."""


@dataclass(frozen=True, slots=True, repr=False)
class Meter(Instruction):
    """Send the packet through a meter."""

    meter_id: MeterNo


@dataclass(frozen=True, slots=True, repr=False)
class ExperimenterInstruction(Instruction):
    """A vendor's instruction; `data` are the bytes after the experimenter number."""

    experimenter: Hex
    data: bytes = b""


@dataclass(frozen=True, slots=True, repr=False)
class UnknownInstruction(Instruction):
    """An instruction of a type that 1.3 does not define; `data` are the bytes after its length."""

    type: int
    data: bytes = b""
