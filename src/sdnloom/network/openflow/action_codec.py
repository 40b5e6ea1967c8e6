"""Encoding and decoding of actions and instructions: one table per version."""

from typing import Any

from sdnloom.network.bitstruct import EncodeError
from sdnloom.network.openflow import actions as act
from sdnloom.network.openflow import match13
from sdnloom.network.openflow.constants import V10, V13
from sdnloom.network.openflow.errors import DecodeError
from sdnloom.network.openflow.layouts import STRUCTS
from sdnloom.network.openflow.records import Codec, Many, Record, RecordPart, Rest, Variant

EXPERIMENTER = 0xFFFF
SET_FIELD = 25

_BAD_ACTION = ("bad_action", "bad_len")
_BAD_INSTRUCTION = ("bad_instruction", "bad_len")


def _action(
    version: int, code: int, kind: type[act.OpenFlowAction], struct: str, *parts: RecordPart, **fixed: Any
) -> Record:
    return Record(
        kind,
        STRUCTS[version][struct],
        *parts,
        length="len",
        constants={"type": code},
        fixed=fixed,
        fault=_BAD_ACTION,
    )


def _unknown(version: int, kind: type[Any], fault: tuple[str, str]) -> Record:
    return Record(kind, STRUCTS[version]["unknown"], RecordPart("data", Rest()), length="len", fault=fault)


def _experimenter(version: int) -> dict[int, tuple[Any, Codec]]:
    kind = act.ExperimenterAction
    return {
        EXPERIMENTER: (kind, _action(version, EXPERIMENTER, kind, "experimenter_action", RecordPart("data", Rest())))
    }


# ---- 1.0 -------------------------------------------------------------------------------------------------------------

_SETS10 = {
    1: ("vlan_vid", "set_vlan_vid"),
    2: ("vlan_pcp", "set_vlan_pcp"),
    4: ("eth_src", "set_dl_addr"),
    5: ("eth_dst", "set_dl_addr"),
    6: ("ipv4_src", "set_nw_addr"),
    7: ("ipv4_dst", "set_nw_addr"),
    8: ("ip_dscp", "set_nw_tos"),
    9: ("tp_src", "set_tp_port"),
    10: ("tp_dst", "set_tp_port"),
}
_PLAIN10: dict[int, tuple[type[act.OpenFlowAction], str]] = {
    0: (act.Output, "output"),
    3: (act.PopVlan, "strip_vlan"),
    11: (act.Enqueue, "enqueue"),
}


def _key10(action: Any) -> object:
    return action.field if isinstance(action, act.SetField) else type(action)


ACTIONS10 = Variant(
    {
        **{code: (kind, _action(V10, code, kind, struct)) for code, (kind, struct) in _PLAIN10.items()},
        **{
            code: (field, _action(V10, code, act.SetField, struct, field=field))
            for code, (field, struct) in _SETS10.items()
        },
        **_experimenter(V10),
    },
    unknown=_unknown(V10, act.UnknownAction, _BAD_ACTION),
    unknown_key=act.UnknownAction,
    fault=_BAD_ACTION,
    key=_key10,
)


class Entry10:
    """The actions of a 1.0 flow entry as instructions: one ApplyActions, or none if there are no actions."""

    actions = Many(ACTIONS10)

    def read(self, data: bytes, at: int, end: int) -> tuple[tuple[act.Instruction, ...], int]:
        """Return the instructions and their end."""
        actions, at = self.actions.read(data, at, end)
        return ((act.ApplyActions(actions),) if actions else ()), at

    def write(self, value: tuple[act.Instruction, ...]) -> bytes:
        """Return the bytes of the actions."""
        if not value:
            return b""
        if len(value) != 1 or not isinstance(value[0], act.ApplyActions) or not value[0].actions:
            raise EncodeError(f"{value!r}: expected nothing or one ApplyActions with actions in OpenFlow 1.0")
        return self.actions.write(value[0].actions)


# ---- 1.3 -------------------------------------------------------------------------------------------------------------


class SetField13:
    """The set-field action: a TLV padded to 8 bytes."""

    _head = STRUCTS[V13]["set_field"]

    def read(self, data: bytes, at: int, end: int) -> tuple[act.SetField, int]:
        name, value, stop = match13.read_set_field(data, at + self._head.size, end)
        if stop + -(stop - at) % 8 != end:
            raise DecodeError("bad_action", "bad_set_len", f"set-field at byte {at}: {end - stop} bytes after it")
        return act.SetField(name, value), end

    def write(self, value: act.SetField) -> bytes:
        body = match13.write_oxm(value.field, value.value, None)
        size = self._head.size + len(body)
        return self._head.pack({"type": SET_FIELD, "len": size + -size % 8}) + body + bytes(-size % 8)


_PLAIN13: dict[int, tuple[type[act.OpenFlowAction], str]] = {
    0: (act.Output, "output"),
    11: (act.CopyTtlOut, "bare_action"),
    12: (act.CopyTtlIn, "bare_action"),
    15: (act.SetMplsTtl, "ttl_action"),
    16: (act.DecMplsTtl, "bare_action"),
    17: (act.PushVlan, "ethertype_action"),
    18: (act.PopVlan, "bare_action"),
    19: (act.PushMpls, "ethertype_action"),
    20: (act.PopMpls, "ethertype_action"),
    21: (act.SetQueue, "set_queue"),
    22: (act.Group, "group_action"),
    23: (act.SetNwTtl, "ttl_action"),
    24: (act.DecNwTtl, "bare_action"),
    26: (act.PushPbb, "ethertype_action"),
    27: (act.PopPbb, "bare_action"),
}
ACTIONS13 = Variant(
    {
        **{code: (kind, _action(V13, code, kind, struct)) for code, (kind, struct) in _PLAIN13.items()},
        SET_FIELD: (act.SetField, SetField13()),
        **_experimenter(V13),
    },
    unknown=_unknown(V13, act.UnknownAction, _BAD_ACTION),
    unknown_key=act.UnknownAction,
    fault=_BAD_ACTION,
)

_ACTIONS = RecordPart("actions", Many(ACTIONS13))
_INSTRUCTIONS: dict[int, tuple[type[act.Instruction], str, tuple[RecordPart, ...]]] = {
    1: (act.GotoTable, "goto_table", ()),
    2: (act.WriteMetadata, "write_metadata", ()),
    3: (act.WriteActions, "actions_instruction", (_ACTIONS,)),
    4: (act.ApplyActions, "actions_instruction", (_ACTIONS,)),
    5: (act.ClearActions, "actions_instruction", ()),
    6: (act.Meter, "meter", ()),
    EXPERIMENTER: (act.ExperimenterInstruction, "experimenter_instruction", (RecordPart("data", Rest()),)),
}
INSTRUCTIONS = Variant(
    {
        code: (
            kind,
            Record(kind, STRUCTS[V13][struct], *parts, length="len", constants={"type": code}, fault=_BAD_INSTRUCTION),
        )
        for code, (kind, struct, parts) in _INSTRUCTIONS.items()
    },
    unknown=_unknown(V13, act.UnknownInstruction, _BAD_INSTRUCTION),
    unknown_key=act.UnknownInstruction,
    fault=_BAD_INSTRUCTION,
)
